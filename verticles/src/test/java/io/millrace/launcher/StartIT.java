package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.devstack.DevStack;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On the wrong database a node does not start, says why, and leaves nothing behind. */
@Tag("any-database")
class StartIT {
  private static final DevStack stack = SharedStack.get();
  private static Stand stand;

  @BeforeAll
  static void lay() {
    stand = new Stand(stack);
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @Test
  void another_shard_count_is_refused_with_both_numbers() throws Exception {
    assertThatThrownBy(() -> stand.start(Map.of("schema.shard_count", 8)))
        .hasMessageContaining("schema.shard_count is 8, the schema was laid with 4");
    assertNothingLeft();
  }

  @Test
  void another_width_of_inbox_buckets_is_refused_with_both_numbers() {
    assertThatThrownBy(() -> stand.start(Map.of("schema.inbox_bucket_hours", 6)))
        .hasMessageContaining(
            "schema.inbox_bucket_hours makes buckets of 21600000 ms, the schema was laid with 86400000 ms");
  }

  @Test
  void every_reason_is_named_at_once() {
    assertThatThrownBy(
            () -> stand.start(Map.of("schema.shard_count", 8, "schema.payload_bytes_max", 1_000)))
        .hasMessageContaining("shard_count")
        .hasMessageContaining("schema.payload_bytes_max is 1000, the schema has 1000000");
  }

  @Test
  void a_database_that_cannot_be_reached_is_named() {
    assertThatThrownBy(() -> stand.start(Map.of("database.port", 1)))
        .hasMessageContaining("127.0.0.1:1");
  }

  @Test
  void a_database_without_the_schema_is_named() {
    assertThatThrownBy(() -> stand.start(Map.of("database.name", "postgres")))
        .hasMessageContaining("the database has no schema millrace")
        .hasMessageContaining("run millrace migrate first");
  }

  @Test
  void debezium_needs_a_server_that_logs_enough() {
    assertThatThrownBy(() -> stand.sql("select millrace.prepare_debezium('ann')"))
        .hasMessageContaining("wal_level must be logical for Debezium, found replica");
  }

  private static void assertNothingLeft() throws Exception {
    assertThat(stand.number("select count(*) from millrace.node")).isZero();
  }
}
