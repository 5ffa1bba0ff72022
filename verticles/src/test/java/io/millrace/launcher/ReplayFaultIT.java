package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.client.MessageRefused;
import io.millrace.core.message.HeaderName;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.testkit.NodeProcess;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A replay outlives its owner, a broker that is away, and has an end when the ring has none left.
 */
@Tag("any-database")
class ReplayFaultIT {
  private static final String TOPIC = "replayed";
  private static final String TARGET = "target";
  private static final int SHARD = 1;

  private DevStack stack;
  private Stand stand;
  private String order;

  @BeforeEach
  void startServers() throws Exception {
    stack = DevStack.start(DevStackSpec.temporary());
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stack.kafka().createTopic(TARGET, 1, Map.of());
    stand = new Stand(stack);
    order = stand.orderOfShard(SHARD);
  }

  @AfterEach
  void stopServers() {
    stand.close();
    stack.close();
  }

  @Test
  void an_owner_that_is_killed_in_the_middle_has_a_successor_that_finishes_it(
      @TempDir Path directory) throws Exception {
    try (NodeProcess first = stand.startProcess("first", directory, Map.of())) {
      append("m", 200);
      awaitPublished();
      long replay = start("p_target_topic => 'target', p_rate => 50");
      await("a checkpoint").atMost(Stand.LIMIT).until(() -> sent(replay) > 0);
      first.kill();
    }
    assertThat(stand.text("select state from millrace.replay")).isEqualTo("running");
    stand.start(Map.of());

    awaitState("done");
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TARGET)) {
      List<String> all = arrivals.awaitPayloads(payloads("m", 200));
      assertThat(new LinkedHashSet<>(all)).containsExactlyElementsOf(payloads("m", 200));
      // What is repeated is what came after the last checkpoint: two seconds' worth at most.
      assertThat(all).hasSizeLessThanOrEqualTo(200 + 2 * 50);
    }
    assertThat(stand.number("select sent from millrace.replay_status")).isEqualTo(200);
  }

  @Test
  void a_shard_that_is_handed_over_in_the_middle_repeats_nothing() throws Exception {
    Stand.Node first = stand.start(Map.of());
    append("m", 150);
    awaitPublished();
    long replay = start("p_target_topic => 'target', p_rate => 50");
    await("a checkpoint").atMost(Stand.LIMIT).until(() -> sent(replay) > 0);
    first.stop();
    assertThat(stand.text("select state from millrace.replay")).isEqualTo("running");
    stand.start(Map.of());

    awaitState("done");
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TARGET)) {
      assertThat(arrivals.awaitPayloads(payloads("m", 150))).isEqualTo(payloads("m", 150));
    }
  }

  @Test
  void a_broker_that_goes_away_delays_it_and_a_database_that_does_as_well() throws Exception {
    stand.start(Map.of());
    append("m", 150);
    awaitPublished();
    long replay = start("p_target_topic => 'target', p_rate => 50");
    await("a checkpoint").atMost(Stand.LIMIT).until(() -> sent(replay) > 0);
    stack.kafka().kill();
    stack.kafka().restart();
    stack.postgres().kill();
    stack.postgres().restart();

    awaitState("done");
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TARGET)) {
      List<String> all = arrivals.awaitPayloads(payloads("m", 150));
      assertThat(new LinkedHashSet<>(all)).containsExactlyElementsOf(payloads("m", 150));
    }
  }

  @Test
  void a_slot_that_is_to_be_read_stays_until_the_replay_is_done_and_is_emptied_then()
      throws Exception {
    stand.start(
        Map.of(
            "maintenance.interval_ms", 50,
            "maintenance.slot_age_max_ms", 1_000,
            "maintenance.retention_ms", 3_000));
    append("m", 20);
    awaitPublished();
    long replay = start("p_target_topic => 'target', p_rate => 2");
    await("the replay is named")
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand
                    .text("select coalesce(max(postponed), '') from millrace.slot")
                    .startsWith("replay " + replay + " has still to read it"));
    assertThat(stand.number("select count(*) from millrace.outbox")).isEqualTo(20);

    awaitState("done");
    assertThat(stand.number("select sent from millrace.replay_status")).isEqualTo(20);
    await("emptied")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.outbox"), rows -> rows == 0);
  }

  @Test
  void a_ring_that_is_full_ends_the_replay() throws Exception {
    stand.start(
        Map.of(
            "maintenance.interval_ms", 50,
            "maintenance.slot_age_max_ms", 500,
            "maintenance.slots_max", Stand.SLOTS,
            "maintenance.retention_ms", 3_000));
    append("m", 20);
    awaitPublished();
    start("p_target_topic => 'target', p_rate => 1");
    await("the ring is full")
        .atMost(Stand.LIMIT)
        .until(
            () -> {
              append("fill", 1);
              return stand.text("select state from millrace.replay").equals("failed");
            });
    assertThat(stand.text("select end_reason from millrace.replay"))
        .isEqualTo("the ring needs its slots");
    await("emptied")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.outbox"), rows -> rows == 0);
  }

  @Test
  void an_inbox_absorbs_what_it_has_applied_and_applies_once_what_it_has_not() throws Exception {
    stand.sql("create table applied (message_id uuid, payload text)");
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    AdminPages pages =
        stand
            .start(
                Map.of("inbox.retention_check", "warn"),
                builder ->
                    builder
                        .withMetrics(registry)
                        .withConsumer(
                            InboxConsumer.of("billing", List.of(TOPIC), ReplayFaultIT::apply)))
            .pages();
    append("m", 30);
    await("applied")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from applied") == 30);
    awaitPublished();

    start("p_topic => 'replayed'");

    awaitState("done");
    await("duplicates")
        .atMost(Stand.LIMIT)
        .until(
            () ->
                pages.metric("millrace_inbox_messages_total").stream()
                    .anyMatch(
                        line -> line.contains("outcome=\"duplicate\"") && line.endsWith(" 30.0")));
    assertThat(stand.number("select count(*) from applied")).isEqualTo(30);
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      assertThat(arrivals.await(60).stream().skip(30))
          .allSatisfy(r -> assertThat(Arrivals.headers(r, HeaderName.REPLAY)).hasSize(1));
    }
  }

  /** What an operator does about messages that a consumer has parked. */
  @Test
  void parked_messages_that_are_forgotten_are_applied_in_order_when_their_aggregate_is_replayed()
      throws Exception {
    stand.sql("create table applied (message_id uuid, payload text, n bigserial)");
    AtomicBoolean isMended = new AtomicBoolean();
    stand.start(
        Map.of("inbox.retention_check", "warn"),
        builder ->
            builder.withConsumer(
                InboxConsumer.of(
                        "billing",
                        List.of(TOPIC),
                        (message, context) ->
                            message.payloadText().equals("m1") && !isMended.get()
                                ? Future.failedFuture(new MessageRefused("not yet"))
                                : apply(message, context))
                    .ordered()));
    append("m", 4);
    await("parked")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.inbox_parked") == 3);
    awaitPublished();
    isMended.set(true);

    assertThat(
            stand.number(
                "select millrace.forget_parked('ann', 'mended', 'billing', p_record_key => '%s')"
                    .formatted(order)))
        .isEqualTo(3);
    start("p_topic => 'replayed', p_aggregate_type => 'order', p_aggregate_id => '" + order + "'");

    await("applied")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from applied") == 4);
    awaitState("done");
    assertThat(stand.text("select string_agg(payload, ',' order by n) from applied"))
        .isEqualTo("m0,m1,m2,m3");
    assertThat(stand.number("select count(*) from millrace.inbox_parked")).isZero();
  }

  private static Future<Void> apply(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery("insert into applied values ($1, $2)")
        .execute(Tuple.of(message.messageId(), message.payloadText()))
        .mapEmpty();
  }

  private long start(String more) throws Exception {
    String filter = more.contains("p_topic") ? "" : "p_topic => 'replayed', ";
    return stand.number("select millrace.start_replay('ann', 'lost', " + filter + more + ")");
  }

  private void append(String prefix, int count) throws Exception {
    stand.sql(
        ("select millrace.append('%s', 'order', '%s', 'changed', convert_to('%s' || n, 'UTF8'))"
                + " from generate_series(0, %d) n")
            .formatted(TOPIC, order, prefix, count - 1));
  }

  private static List<String> payloads(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(n -> prefix + n).toList();
  }

  private long sent(long replay) throws Exception {
    return stand.number("select sent from millrace.replay_status where replay_id = " + replay);
  }

  private void awaitPublished() {
    await("published")
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number("select count(*) from millrace.message where state = 'waiting'") == 0);
  }

  private void awaitState(String state) {
    await("replay is " + state)
        .atMost(Stand.LIMIT)
        .until(() -> stand.text("select state from millrace.replay"), state::equals);
  }
}
