package io.millrace.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.core.config.ConfigException;
import io.millrace.core.config.Key;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.config.Problem;
import io.millrace.core.config.TextMapKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {

  @TempDir Path folder;

  @Test
  void without_file_and_variables_everything_is_at_its_default() {
    assertThat(ConfigLoader.load(Optional.empty(), Map.of("PATH", "/bin")))
        .isEqualTo(MillraceConfig.defaults());
  }

  @Test
  void a_file_wins_over_the_defaults_and_the_environment_over_the_file() {
    MillraceConfig config =
        load(
            """
            relay:
              batch_rows_max: 300
              batches_in_flight_max: 2
            kafka:
              properties:
                linger.ms: 1
                batch: {size: 65536}
            """,
            Map.of(
                "MILLRACE_RELAY_BATCH_ROWS_MAX", "500",
                "MILLRACE_KAFKA_PROPERTIES_LINGER_MS", "7",
                "MILLRACE_KAFKA_PROPERTIES_COMPRESSION_TYPE", "zstd"));

    assertThat(config.relay().batchRowsMax()).isEqualTo(500);
    assertThat(config.relay().batchesInFlightMax()).isEqualTo(2);
    assertThat(config.kafka().properties())
        .isEqualTo(Map.of("linger.ms", "7", "batch.size", "65536", "compression.type", "zstd"));
  }

  @Test
  void every_key_can_come_from_the_environment() {
    Map<String, String> environment = new HashMap<>();
    for (Key<?> key : MillraceConfig.keys()) {
      if (!(key instanceof TextMapKey)) {
        environment.put(
            key.environmentName(), MillraceConfig.defaults().printable().get(key.name()));
      }
    }

    assertThat(ConfigLoader.load(Optional.empty(), environment))
        .isEqualTo(MillraceConfig.defaults());
  }

  @Test
  void variables_of_the_start_script_are_no_keys() {
    Map<String, String> environment =
        Map.of("MILLRACE_HOME", "/opt", "MILLRACE_OPTS", "-Xmx1g", "MILLRACE_CONFIG", "a.yaml");

    assertThat(ConfigLoader.load(Optional.empty(), environment))
        .isEqualTo(MillraceConfig.defaults());
  }

  @Test
  void the_problems_of_file_and_environment_are_reported_at_once() {
    List<Problem> problems =
        problems(
            """
            relay:
              batch_row_max: 1
              poll_interval_min_ms: 800
            admin:
              enabled: yes
            """,
            Map.of(
                "MILLRACE_ADMIN_PORT", "http",
                "MILLRACE_RELAY_BATCH_ROW_MAX", "5",
                "MILLRACE_KAFKA_PROPERTIES_ACKS", "1"));

    assertThat(problems)
        .extracting(Problem::toString)
        .containsExactlyInAnyOrder(
            "relay.batch_row_max is not a known key; the nearest is relay.batch_rows_max;"
                + " found a value (not shown)",
            "relay.poll_interval_max_ms must be at least relay.poll_interval_min_ms (800);"
                + " found 500",
            "admin.enabled must be true or false; found \"yes\"",
            "admin.port (from MILLRACE_ADMIN_PORT) must be a whole number from 0 to 65535"
                + " (TCP port); found \"http\"",
            "MILLRACE_RELAY_BATCH_ROW_MAX is not a known variable; the nearest is"
                + " MILLRACE_RELAY_BATCH_ROWS_MAX; found a value (not shown)",
            "kafka.properties.acks (from MILLRACE_KAFKA_PROPERTIES_ACKS) must not be set, because"
                + " it stays all, or a published message can be lost with one broker; found \"1\"");
  }

  @Test
  void a_variable_that_kubernetes_sets_for_a_service_is_told_apart() {
    assertThat(problems("", Map.of("MILLRACE_PORT_8720_TCP_ADDR", "10.0.0.1")))
        .singleElement()
        .extracting(Problem::rule)
        .asString()
        .contains("enableServiceLinks: false");
  }

  @Test
  void the_properties_of_the_producer_need_a_name_in_the_variable() {
    assertThat(problems("", Map.of("MILLRACE_KAFKA_PROPERTIES", "linger.ms=5")))
        .singleElement()
        .extracting(Problem::rule)
        .asString()
        .endsWith("the nearest is MILLRACE_KAFKA_PROPERTIES_<NAME>");
  }

  @Test
  void text_stays_as_it_is_written() {
    MillraceConfig config =
        load("database: {password: 0123, name: 2026-01-01, user: on}", Map.of());

    assertThat(config.database().password().reveal()).isEqualTo("0123");
    assertThat(config.database().name()).isEqualTo("2026-01-01");
    assertThat(config.database().user()).isEqualTo("on");
  }

  @Test
  void a_file_with_nothing_but_comments_and_headings_gives_the_defaults() {
    assertThat(load("# nothing\n", Map.of())).isEqualTo(MillraceConfig.defaults());
    assertThat(load("relay:\n  # batch_rows_max: 5\nwriter: {}\n", Map.of()))
        .isEqualTo(MillraceConfig.defaults());
  }

  @Test
  void a_missing_file_is_a_problem() {
    ConfigException thrown =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                ConfigLoader.load(
                    Optional.of(folder.resolve("none.yaml")), Map.of("MILLRACE_NODE_NAME", "a")));

    assertThat(thrown)
        .hasMessageContaining("none.yaml must be a file that can be read")
        .hasMessageContaining("MILLRACE_NODE_NAME is not a known variable");
  }

  @Test
  void a_key_given_twice_is_a_problem() {
    assertThat(problems("relay: {enabled: true}\nrelay: {enabled: false}", Map.of()))
        .singleElement()
        .satisfies(problem -> assertThat(problem.rule()).isEqualTo("must give each key once"))
        .satisfies(problem -> assertThat(problem.found()).contains("line 2, column 1"));
    assertThat(problems("relay: {enabled: true}\nrelay.enabled: false", Map.of()))
        .singleElement()
        .extracting(Problem::key)
        .isEqualTo("relay.enabled");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "database: {password: \"hunter2",
        "database:\n  password: *hunter2",
        "database:\n  password: !hunter2 a",
        "database:\n  password: @hunter2",
        "database:\n  password: hunter2: hunter2",
        "database:\n  password: [hunter2]",
        "database:\n  password:\n    hunter2: hunter2a",
        "database: hunter2",
        "database:\n  pasword: hunter2",
        "a: &a [hunter2]\nb: *a",
        "- hunter2",
        "hunter2",
        "a: 1\n---\nhunter2: 1"
      })
  void no_problem_shows_what_may_be_a_secret(String text) {
    assertThat(problems(text, Map.of("MILLRACE_DATABASE_PASSWORT", "hunter2")))
        .hasSizeGreaterThan(1)
        .allSatisfy(problem -> assertThat(problem.found()).doesNotContain("hunter2"))
        .allSatisfy(problem -> assertThat(problem.rule()).doesNotContain("hunter2"));
  }

  private MillraceConfig load(String text, Map<String, String> environment) {
    return ConfigLoader.load(Optional.of(file(text)), environment);
  }

  private List<Problem> problems(String text, Map<String, String> environment) {
    ConfigException thrown =
        catchThrowableOfType(ConfigException.class, () -> load(text, environment));
    assertThat(thrown).isNotNull().hasNoCause();
    return thrown.problems();
  }

  private Path file(String text) {
    try {
      return Files.writeString(folder.resolve("millrace.yaml"), text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
