package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node survives the crash of what it works with: nothing is lost, and no person is needed. */
@Tag("any-database")
class RelayFaultIT {
  private static DevStack stack;

  private Stand stand;
  private Arrivals arrivals;
  private String topic;
  private AdminPages pages;
  private final List<String> committed = new ArrayList<>();

  @BeforeAll
  static void startServers() {
    stack = DevStack.start(DevStackSpec.temporary());
  }

  @AfterAll
  static void stopServers() {
    stack.close();
  }

  @BeforeEach
  void start() {
    stand = new Stand(stack);
    topic = "faults-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic);
    pages =
        stand
            .start(
                Map.of(),
                builder ->
                    builder.withMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)))
            .pages();
  }

  @AfterEach
  void end() {
    arrivals.close();
    stand.close();
  }

  @Test
  void a_crash_of_the_database_is_survived() throws Exception {
    appendMany(50);
    arrivals.await(1);
    stack.postgres().kill();
    pages.awaitReason("");
    stack.postgres().restart();
    appendMany(50);

    assertAllArrivedInOrder();
    pages.awaitReady();
  }

  @Test
  void a_node_without_anything_to_publish_is_ready_again_after_the_database_was_restarted()
      throws Exception {
    appendMany(1);
    arrivals.await(1);
    pages.awaitReady();
    stack.postgres().restart();

    pages.awaitReady();
    // Beyond the time for which a failure is tolerated, it must still be so.
    await().during(Duration.ofSeconds(4)).atMost(Stand.LIMIT).until(() -> pages.ready().isReady());
  }

  /** What a full disk looks like to a relay: it reads and publishes, and cannot record. */
  @Test
  void a_database_that_refuses_for_want_of_space_is_counted_and_told_until_it_has_some()
      throws Exception {
    appendMany(1);
    arrivals.await(1);
    stand.sql(
        "create function millrace.full_disk() returns trigger language plpgsql as"
            + " $$begin raise exception 'no space left' using errcode = 'disk_full'; end$$",
        "create trigger full_disk before insert on millrace.receipt"
            + " for each row execute function millrace.full_disk()");
    appendMany(1);

    pages.awaitReason("no space left");
    assertThat(pages.metric("millrace_database_refusals_total{reason=\"disk_full\"}"))
        .singleElement(STRING)
        .doesNotEndWith(" 0.0");
    // Not by dropping the trigger, which locks the tables that passes and receipts read and write.
    stand.sql(
        "create or replace function millrace.full_disk() returns trigger language plpgsql as"
            + " $$begin return new; end$$");
    appendMany(1);

    assertAllArrivedInOrder();
    pages.awaitReady();
    assertThat(stand.number("select count(*) from millrace.parked")).isZero();
  }

  @Test
  void a_crash_of_the_broker_is_survived() throws Exception {
    appendMany(50);
    arrivals.await(1);
    stack.kafka().kill();
    appendMany(50);
    pages.awaitReason("shard ");
    stack.kafka().restart();
    appendMany(50);

    assertAllArrivedInOrder();
    pages.awaitReady();
  }

  private void appendMany(int count) throws Exception {
    List<String> statements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String payload = "p" + committed.size();
      committed.add(payload);
      statements.add(Stand.append(topic, "o-" + i % 8, payload));
    }
    stand.sql(statements.toArray(String[]::new));
  }

  /** Repeats are allowed; first occurrences stand in the order of each aggregate. */
  private void assertAllArrivedInOrder() {
    List<String> first = new ArrayList<>(new LinkedHashSet<>(arrivals.awaitPayloads(committed)));
    assertThat(first).containsExactlyInAnyOrderElementsOf(committed);
    for (int order = 0; order < 8; order++) {
      int mine = order;
      assertThat(first.stream().filter(p -> committed.indexOf(p) % 50 % 8 == mine))
          .isSortedAccordingTo(
              (a, b) -> Integer.compare(committed.indexOf(a), committed.indexOf(b)));
    }
  }
}
