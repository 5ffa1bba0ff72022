package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each relation at the last value that holds and at the first that does not. */
class RelationTest {

  @Test
  void a_lease_lasts_at_least_three_heartbeats() {
    assertRelation("node.lease_duration_ms", 6_000, 5_999, "node.heartbeat_interval_ms", 2_000);
  }

  @Test
  void bytes_in_flight_hold_at_least_one_batch() {
    assertRelation("relay.bytes_in_flight_max", 70_000, 69_999, "relay.batch_bytes_max", 70_000);
  }

  @Test
  void the_longest_poll_interval_is_not_below_the_shortest() {
    assertRelation("relay.poll_interval_max_ms", 50, 49, "relay.poll_interval_min_ms", 50);
  }

  @Test
  void the_longest_retry_delay_is_not_below_the_first() {
    assertRelation("relay.retry_delay_max_ms", 50, 49, "relay.retry_delay_min_ms", 50);
  }

  @Test
  void there_may_be_at_least_as_many_slots_as_there_must_be() {
    assertRelation("maintenance.slots_max", 8, 7, "maintenance.slots_min", 8);
  }

  @Test
  void beside_the_free_slots_one_can_be_hot_and_one_can_drain() {
    assertRelation("maintenance.slots_min", 7, 6, "maintenance.free_slots_min", 5);
  }

  @Test
  void draining_lasts_longer_than_settling() {
    assertRelation("shutdown.drain_timeout_ms", 15_001, 15_000, "relay.settle_timeout_ms", 15_000);
  }

  @Test
  void draining_lasts_longer_than_the_settling_of_consumers() {
    assertRelation("shutdown.drain_timeout_ms", 15_001, 15_000, "inbox.settle_timeout_ms", 15_000);
  }

  @Test
  void a_buffer_holds_at_least_one_batch() {
    assertRelation("inbox.buffer_rows_max", 3_000, 2_999, "inbox.batch_rows_max", 3_000);
  }

  @Test
  void ids_are_kept_in_at_most_a_thousand_buckets() {
    assertRelation("inbox.retention_days", 250, 251, "schema.inbox_bucket_hours", 6);
  }

  @Test
  void relations_hold_for_sections_put_together_by_hand_as_well() {
    MillraceConfig good = MillraceConfig.defaults();

    assertThatThrownBy(
            () ->
                new MillraceConfig(
                    good.schema(),
                    new NodeConfig("", 2_999, 1_000),
                    good.database(),
                    good.kafka(),
                    good.writer(),
                    good.relay(),
                    good.inbox(),
                    good.maintenance(),
                    good.admin(),
                    good.spatial(),
                    good.tracing(),
                    good.cluster(),
                    new ShutdownConfig(10_000)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("node.lease_duration_ms")
        .hasMessageContaining("shutdown.drain_timeout_ms");
  }

  private static void assertRelation(
      String key, int holds, int breaks, String other, int otherValue) {
    assertThat(MillraceConfig.from(Map.of(key, holds, other, otherValue)).printable())
        .containsEntry(key, Integer.toString(holds));
    assertThat(MillraceConfigTest.problemsOf(Map.of(key, breaks, other, otherValue)))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.key()).isEqualTo(key);
              assertThat(problem.rule()).contains(other);
              assertThat(problem.found()).isEqualTo(Integer.toString(breaks));
            });
  }
}
