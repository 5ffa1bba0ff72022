package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MillraceConfigTest {

  @Test
  void nothing_given_gives_the_defaults_of_every_section() {
    MillraceConfig config = MillraceConfig.from(Map.of());

    assertThat(config).isEqualTo(MillraceConfig.defaults());
    assertThat(config.relay()).isEqualTo(RelayConfig.defaults());
    assertThat(config.relay().batchRowsMax()).isEqualTo(200);
    assertThat(config.database().sslMode()).isEqualTo(SslMode.PREFER);
  }

  @Test
  void values_come_as_text_or_as_java_values() {
    MillraceConfig config =
        MillraceConfig.from(
            Map.of(
                "relay.batch_rows_max",
                "500",
                "relay.batch_bytes_max",
                65_536,
                "maintenance.slot_bytes_max",
                2_000_000_000_000L / 2,
                "writer.enabled",
                "False",
                "admin.enabled",
                false,
                "database.ssl_mode",
                "verify-full",
                "kafka.properties",
                Map.of("linger.ms", 5),
                "kafka.properties.compression.type",
                "zstd"));

    assertThat(config.relay().batchRowsMax()).isEqualTo(500);
    assertThat(config.relay().batchBytesMax()).isEqualTo(65_536);
    assertThat(config.maintenance().slotBytesMax()).isEqualTo(1_000_000_000_000L);
    assertThat(config.writer().enabled()).isFalse();
    assertThat(config.admin().enabled()).isFalse();
    assertThat(config.database().sslMode()).isEqualTo(SslMode.VERIFY_FULL);
    assertThat(config.kafka().properties())
        .isEqualTo(Map.of("linger.ms", "5", "compression.type", "zstd"));
  }

  @Test
  void all_problems_are_reported_at_once_with_key_rule_and_value_found() {
    List<Problem> problems =
        problemsOf(
            Map.of(
                "relay.batch_rows_max", 0,
                "relay.batch_byte_max", 1,
                "writer.enabled", "yes",
                "database.ssl_mode", "on",
                "database.port", 5432.5,
                "node.lease_duration_ms", "5s",
                "admin.host", "0.0.0.0",
                "maintenance.slots_max", 3,
                "kafka.properties.acks", "1"));

    assertThat(problems)
        .containsExactlyInAnyOrder(
            new Problem("node.lease_duration_ms", rule(1_000, 60_000, "ms"), "\"5s\""),
            new Problem("database.port", rule(1, 65_535, "TCP port"), "5432.5"),
            new Problem(
                "database.ssl_mode",
                "must be one of disable, prefer, require, verify-ca, verify-full",
                "\"on\""),
            new Problem(
                "kafka.properties.acks",
                "must not be set, because it stays all, or a published message can be lost with one"
                    + " broker",
                "\"1\""),
            new Problem("writer.enabled", "must be true or false", "\"yes\""),
            new Problem("relay.batch_rows_max", rule(1, 10_000, "rows"), "0"),
            new Problem(
                "admin.host",
                "must be a loopback address (127.0.0.0/8, ::1 or localhost) without admin.tokens"
                    + " and admin.jwt_algorithm, because whoever reaches it is asked for nothing",
                "\"0.0.0.0\""),
            new Problem(
                "relay.batch_byte_max",
                "is not a known key; the nearest is relay.batch_bytes_max",
                "a value (not shown)"),
            new Problem(
                "maintenance.slots_max", "must be at least maintenance.slots_min (4)", "3"));
  }

  @Test
  void the_message_of_the_exception_names_every_problem() {
    ConfigException thrown =
        refused(Map.of("relay.batch_rows_max", 0, "database.pool_size_max", 1));

    assertThat(thrown)
        .hasMessage(
            "the configuration cannot be used:"
                + "\n  - database.pool_size_max must be a whole number from 2 to 100 (connections);"
                + " found 1"
                + "\n  - relay.batch_rows_max must be a whole number from 1 to 10000 (rows);"
                + " found 0");
  }

  @Test
  void an_unknown_key_is_refused_with_the_nearest_known_one() {
    assertThat(problemsOf(Map.of("relays.batch_row_max", 5)))
        .singleElement()
        .extracting(Problem::rule)
        .isEqualTo("is not a known key; the nearest is relay.batch_rows_max");
  }

  @Test
  void a_section_that_is_empty_is_allowed_and_one_that_is_a_value_is_not() {
    Map<String, Object> empty = new HashMap<>();
    empty.put("relay", null);
    empty.put("writer", Map.of());
    empty.put("kafka.properties", Map.of());

    assertThat(MillraceConfig.from(empty)).isEqualTo(MillraceConfig.defaults());
    assertThat(problemsOf(Map.of("relay", "on")))
        .containsExactly(
            new Problem("relay", "must be a section with keys below it", "a value (not shown)"));
  }

  @Test
  void a_key_without_a_value_is_a_problem() {
    Map<String, Object> values = new HashMap<>();
    values.put("admin.port", null);
    values.put("database.password", null);
    values.put("kafka.properties", null);

    assertThat(problemsOf(values)).extracting(Problem::found).containsOnly("nothing").hasSize(3);
  }

  @Test
  void a_relation_is_not_blamed_for_a_value_that_is_wrong_itself() {
    assertThat(
            problemsOf(
                Map.of("node.lease_duration_ms", "6 s", "node.heartbeat_interval_ms", 2_000)))
        .extracting(Problem::key)
        .containsExactly("node.lease_duration_ms");
  }

  @Test
  void printable_has_every_key_and_masks_secrets() {
    MillraceConfig config =
        MillraceConfig.from(
            Map.of(
                "database.password", "hunter2",
                "kafka.properties.sasl.jaas.config", "hunter2",
                "kafka.properties.ssl.truststore.password", "hunter2",
                "kafka.properties.linger.ms", "5"));

    Map<String, String> printed = config.printable();

    assertThat(printed.keySet())
        .containsExactlyElementsOf(MillraceConfig.keys().stream().map(Key::name).toList());
    assertThat(printed)
        .containsEntry("database.password", "******")
        .containsEntry(
            "kafka.properties",
            "{linger.ms=5, sasl.jaas.config=******, ssl.truststore.password=******}")
        .containsEntry("relay.batch_rows_max", "200");
    assertThat(config.toString() + printed).doesNotContain("hunter2");
    assertThat(MillraceConfig.defaults().printable()).containsEntry("database.password", "");
  }

  @Test
  void no_problem_shows_a_secret() {
    ConfigException thrown =
        refused(
            Map.of(
                "database.password",
                List.of("hunter2"),
                "database.pasword",
                "hunter2",
                "database",
                "hunter2",
                "kafka.properties.sasl.jaas.config",
                List.of("hunter2")));

    assertThat(thrown.problems()).hasSize(4);
    assertThat(thrown.getMessage() + thrown.problems()).doesNotContain("hunter2");
  }

  @Test
  void the_node_id_can_be_filled_in_at_start() {
    MillraceConfig config = MillraceConfig.defaults().withNodeId("host-1:4711");

    assertThat(config.node().id()).isEqualTo("host-1:4711");
    assertThat(config.withNodeId("")).isEqualTo(MillraceConfig.defaults());
  }

  static List<Problem> problemsOf(Map<String, ?> values) {
    return refused(values).problems();
  }

  private static ConfigException refused(Map<String, ?> values) {
    ConfigException thrown =
        catchThrowableOfType(ConfigException.class, () -> MillraceConfig.from(values));
    assertThat(thrown).isNotNull();
    return thrown;
  }

  private static String rule(long min, long max, String unit) {
    return "must be a whole number from " + min + " to " + max + " (" + unit + ")";
  }
}
