package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StatusMetricsIT {
  private static final StatusMetrics.Kept KEPT = new StatusMetrics.Kept(60_000, 3_600_000);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long INTERVAL_MS = 50;

  private static AdminStand stand;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private String deployment;

  @BeforeAll
  static void lay() throws Exception {
    stand = new AdminStand();
    stand.claimTwoShards();
    stand.sql(
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)"
            + " select shard, 1, 1, pg_current_snapshot(), 0, 0, 0 from millrace.shard",
        "select a.* from generate_series(1, 40) n,"
            + " millrace.append('orders', 'order', n::text, 'placed', '\\x00ff') a",
        "update millrace.shard set paused = true where shard = 3",
        "vacuum millrace.outbox_slot_2");
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @BeforeEach
  void deploy() {
    StatusMetrics metrics =
        new StatusMetrics(registry, stand.store, AdminStand.NODE, KEPT, INTERVAL_MS);
    deployment = AdminStand.await(stand.vertx.deployVerticle(metrics));
  }

  @AfterEach
  void undeploy() {
    if (stand.vertx.deploymentIDs().contains(deployment)) {
      AdminStand.await(stand.vertx.undeploy(deployment));
    }
  }

  @Test
  void the_database_is_seen_under_prometheus_names() throws Exception {
    awaitLine("millrace_backlog 40.0");
    awaitLine("millrace_slots{state=\"hot\"} 1.0");
    assertThat(registry.scrape())
        .contains("millrace_slots{state=\"free\"} 3.0")
        .contains("millrace_slots{state=\"draining\"} 0.0")
        .contains("millrace_slots_postponed{reason=\"open_transaction\"} 0.0")
        .contains("millrace_slots_postponed{reason=\"unpublished\"} 0.0")
        .contains("millrace_shards_owned 2.0")
        .contains("millrace_replays_running 0.0")
        .contains("millrace_shards_unowned 1.0")
        .contains("millrace_shards_paused 1.0")
        .contains("millrace_shards_sweeping 0.0")
        .contains("millrace_shard_backlog{shard=\"3\"}")
        .contains("millrace_shard_lag_seconds{shard=\"0\"}")
        .contains("millrace_slot_rows{slot=\"0\"} 40.0")
        .contains("millrace_slot_dead_rows{slot=\"0\"}")
        .contains("millrace_slot_last_vacuum_timestamp_seconds{slot=\"0\"} NaN")
        .contains("millrace_slot_last_vacuum_timestamp_seconds{slot=\"2\"} 1.")
        .contains("millrace_status_failures_total 0.0");
    assertThat(gauge("millrace.slot.bytes", "slot", "0")).isPositive();
    assertThat(gauge("millrace.lag")).isPositive();
    assertThat(gauge("millrace.table", "table", "outbox"))
        .isEqualTo(
            stand.number(
                "select sum(pg_total_relation_size('millrace.outbox_slot_' || slot))"
                    + " from millrace.slot"));
    assertThat(gauge("millrace.table", "table", "receipt")).isPositive();
    assertThat(gauge("millrace.table", "table", "inbox_window")).isPositive();
    assertThat(gauge("millrace.table", "table", "inbox")).isPositive();
    assertThat(gauge("millrace.table.dead.rows", "table", "outbox")).isNotNegative();
    assertThat(registry.scrape())
        .contains("millrace_table_bytes{table=\"shard\"}")
        .contains("millrace_table_last_vacuum_timestamp_seconds{table=\"outbox\"} 1.");
    assertThat(gauge("millrace.transaction.age")).isBetween(1.0, 1e6);
    assertThat(gauge("millrace.database.transaction.age"))
        .isGreaterThanOrEqualTo(gauge("millrace.transaction.age"));
  }

  @Test
  void a_new_message_shows_at_the_next_reading() throws Exception {
    awaitLine("millrace_shards_owned 2.0");
    stand.sql(
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)"
            + " select shard, 1, 2, pg_current_snapshot(), 40, 40, 0 from millrace.shard");
    awaitLine("millrace_backlog 0.0");
    awaitLine("millrace_lag_seconds 0.0");
    stand.sql("select * from millrace.append('orders', 'order', '7', 'paid', null)");
    awaitLine("millrace_backlog 1.0");
    stand.sql(
        "delete from millrace.receipt where counter = 2",
        "delete from millrace.outbox where event_type = 'paid'");
    awaitLine("millrace_backlog 40.0");
  }

  /** Direct: a pooler lets requests wait where a server that is down refuses them. */
  @Test
  @Tag("direct")
  void what_is_not_known_during_an_outage_is_not_a_number_and_comes_back_by_itself() {
    awaitLine("millrace_backlog 40.0");
    stand.server.stop();
    awaitLine("millrace_backlog NaN");
    awaitLine("millrace_slot_bytes{slot=\"0\"} NaN");
    await().atMost(LIMIT).until(() -> gauge("millrace.status.age") > 0.5);
    assertThat(registry.counter("millrace.status.failures").count()).isPositive();
    stand.server.restart();
    awaitLine("millrace_backlog 40.0");
    awaitLine("millrace_slots{state=\"hot\"} 1.0");
  }

  @Test
  void a_stop_takes_the_gauges_away() {
    awaitLine("millrace_backlog 40.0");
    undeploy();
    assertThat(registry.scrape()).doesNotContain("millrace_backlog", "millrace_slot");
  }

  @Test
  void an_interval_out_of_bounds_is_refused() {
    assertThatThrownBy(
            () ->
                new StatusMetrics(new SimpleMeterRegistry(), stand.store, AdminStand.NODE, KEPT, 0))
        .hasMessage("intervalMs must be 1 to 300000, found 0");
  }

  private void awaitLine(String line) {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(registry.scrape()).contains(line + "\n"));
  }

  private double gauge(String name, String... tags) {
    Gauge gauge = registry.find(name).tags(tags).gauge();
    return gauge == null ? Double.NaN : gauge.value();
  }
}
