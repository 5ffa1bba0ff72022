package io.millrace.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.AdminPages;
import io.millrace.launcher.Arrivals;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Beside somebody who stands in the way of cleaning, writers and relays go on, and an operator sees
 * who it is.
 */
class CleaningPostponedIT {
  private static final int MESSAGES = 50;

  private static final DevStack stack = SharedStack.get();

  private Stand stand;
  private AdminPages pages;
  private Connection holder;
  private String topic;
  private Arrivals arrivals;
  private int sent;

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    topic = "postponed-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic);
    pages =
        stand
            .start(
                Map.of(
                    "maintenance.interval_ms", 50,
                    "maintenance.slot_age_max_ms", 300,
                    "maintenance.retention_ms", 0,
                    "maintenance.slots_max", 8),
                builder ->
                    builder.withMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)))
            .pages();
    pages.awaitReady();
    holder = stand.connect();
    holder.setAutoCommit(false);
  }

  @AfterEach
  void end() throws SQLException {
    holder.close();
    arrivals.close();
    stand.close();
  }

  @Test
  void an_unrelated_transaction_that_stays_open_postpones_nothing() throws Exception {
    Stand.sql(holder, "set transaction isolation level repeatable read", "select 1");
    long before = truncations();

    await().atMost(Stand.LIMIT).until(() -> flowsAndTruncations() > before + 3);
    holder.rollback();
  }

  /** What it does first: a snapshot, and a lock on every table. */
  @Test
  void a_dump_postpones_the_slots_it_has_locked_and_is_named() throws Exception {
    flow();
    Stand.sql(
        holder,
        "set application_name = 'pg_dump'",
        "set transaction isolation level repeatable read, read only");
    for (String table : tables()) {
      Stand.sql(holder, "lock table " + table + " in access share mode");
    }

    awaitPostponed("an open transaction has read from the slot: pid ", "(pg_dump) since 2");
    requireFlow();
    holder.rollback();
    awaitNothingPostponed();
  }

  @Test
  void an_idle_session_that_has_written_to_one_slot_postpones_that_one_alone() throws Exception {
    Stand.sql(holder, "set application_name = 'forgotten'", Stand.append(topic, "o-1", "open"));
    long held = stand.number("select millrace.ring_current()");

    await().atMost(Stand.LIMIT).until(() -> flowsAndTruncations() > 3 && postponed().size() == 1);
    awaitPostponed("an open transaction has written to the slot: pid ", "(forgotten) since 2");
    assertThat(postponed().get(0).getInteger("slot")).isEqualTo((int) held);
    requireFlow();
    holder.commit();
    sent++;
    awaitNothingPostponed();
    arrivals.await(sent);
  }

  @Test
  void a_prepared_transaction_postpones_its_slot_until_somebody_ends_it() throws Exception {
    String name = "forgotten_" + System.nanoTime();
    Stand.sql(holder, Stand.append(topic, "o-1", "prepared"), "prepare transaction '" + name + "'");

    await().atMost(Stand.LIMIT).until(() -> flowsAndTruncations() > 3);
    awaitPostponed("an open transaction has written to the slot: a prepared transaction", "");
    requireFlow();
    stand.sql("rollback prepared '" + name + "'");
    awaitNothingPostponed();
  }

  private List<String> tables() throws SQLException {
    List<String> names = new ArrayList<>();
    try (Connection connection = stand.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select c.oid::regclass::text from pg_class c where c.relnamespace = 'millrace'::regnamespace"
                    + " and c.relkind in ('r', 'p') order by c.oid")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  /** Messages are appended without waiting for anybody, and arrive. */
  private void flow() throws Exception {
    stand.sql(
        "set lock_timeout = '1s'",
        "select count(*) from generate_series(1, %d) n, millrace.append('%s', 'order', 'o' || n, 'changed', null::bytea)"
            .formatted(MESSAGES, topic));
    sent += MESSAGES;
    arrivals.await(sent);
  }

  private void requireFlow() throws Exception {
    for (int i = 0; i < 5; i++) {
      flow();
    }
  }

  private long flowsAndTruncations() throws Exception {
    flow();
    return truncations();
  }

  private long truncations() {
    return pages.metric("millrace_ring_steps_total").stream()
        .filter(line -> line.contains("\"truncate\""))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private List<JsonObject> postponed() {
    return pages.slots().stream()
        .map(JsonObject.class::cast)
        .filter(slot -> List.of("published", "draining").contains(slot.getString("state")))
        .filter(slot -> slot.getString("why_not_cleaned").startsWith("an open transaction"))
        .toList();
  }

  private void awaitPostponed(String begins, String contains) throws Exception {
    await("/partitions says so")
        .atMost(Stand.LIMIT)
        .until(
            () -> {
              flow();
              return postponed().stream()
                  .map(slot -> slot.getString("why_not_cleaned"))
                  .anyMatch(why -> why.startsWith(begins) && why.contains(contains));
            });
    await("the metrics say so").atMost(Stand.LIMIT).until(() -> gauge() > 0);
  }

  private double gauge() {
    return pages.metric("millrace_slots_postponed").stream()
        .filter(line -> line.contains("\"open_transaction\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private void awaitNothingPostponed() {
    await("nothing is postponed")
        .atMost(Stand.LIMIT)
        .until(
            () -> {
              flow();
              return postponed().isEmpty() && gauge() == 0;
            });
  }
}
