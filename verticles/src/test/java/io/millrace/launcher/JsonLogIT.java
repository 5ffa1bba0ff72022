package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's log with the logging configuration that ships. */
@Tag("any-database")
class JsonLogIT {
  private static final Path SHIPPED = Path.of("..", "conf", "logback.xml").toAbsolutePath();
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private static final DevStack stack = SharedStack.get();

  @TempDir Path directory;
  private Stand stand;
  private String topic;

  @BeforeEach
  void prepare() {
    stand = new Stand(stack);
    topic = "logged-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
  }

  @AfterEach
  void end() {
    stand.close();
  }

  private MainProcess run(Map<String, ?> own, Map<String, String> environment) throws Exception {
    Path config = Stand.writeConfig(directory.resolve("millrace.yaml"), stand.config(own));
    return MainProcess.start(
        directory.resolve("run.log"),
        environment,
        List.of("-Dlogback.configurationFile=" + SHIPPED),
        "run",
        "--config",
        config.toString());
  }

  private static void awaitOutput(MainProcess run, String part) {
    await(part).atMost(Stand.LIMIT).until(() -> run.output().contains(part));
  }

  private static List<JsonObject> parsed(MainProcess run) throws Exception {
    return run.lines().stream().map(JsonObject::new).toList();
  }

  @Test
  void every_line_is_a_json_object_also_of_what_others_log_and_of_what_fails() throws Exception {
    Map<String, String> environment =
        Map.of(
            "MILLRACE_LOG_FORMAT", "json",
            "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1",
            "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true",
            "OTEL_BSP_SCHEDULE_DELAY", "100");
    try (MainProcess run =
        run(Map.of("node.id", "node-seven", "tracing.enabled", true), environment)) {
      awaitOutput(run, "Millrace runs");
      stand.sql(
          "select millrace.append('%s', 'order', 'o-1', 'placed', null, headers => array['traceparent', '%s'])"
              .formatted(topic, PARENT));
      awaitOutput(run, "Failed to export");
      run.terminate();
      assertThat(run.exitCode()).isZero();

      assertThat(parsed(run))
          .allSatisfy(
              line -> {
                assertThat(line.getInstant("time")).isNotNull();
                assertThat(line.getString("level")).isIn("INFO", "WARN", "ERROR");
                assertThat(line.getString("logger")).isNotEmpty();
              })
          .filteredOn(line -> line.getString("message").startsWith("Millrace has"))
          .allSatisfy(line -> assertThat(line.getString("node")).isEqualTo("node-seven"))
          .extracting(line -> line.getString("message"))
          .contains("Millrace has stopped");
    }
  }

  @Test
  void a_refused_start_is_told_in_a_line_of_json_as_well() throws Exception {
    try (MainProcess run = run(Map.of("database.port", 1), Map.of("MILLRACE_LOG_FORMAT", "json"))) {
      assertThat(run.exitCode()).isEqualTo(1);

      assertThat(parsed(run))
          .last()
          .satisfies(line -> assertThat(line.getString("message")).contains("127.0.0.1:1"));
    }
  }

  @Test
  void lines_are_text_unless_json_was_asked_for() throws Exception {
    try (MainProcess run = run(Map.of(), Map.of())) {
      awaitOutput(run, "Millrace runs");
      run.terminate();
      assertThat(run.exitCode()).isZero();

      assertThat(run.lines())
          .isNotEmpty()
          .allMatch(line -> line.matches("20..-..-..T..:..:..[.]...Z [A-Z]+ +\\[.*"));
    }
  }

  @Test
  void a_format_that_there_is_not_is_refused() throws Exception {
    try (MainProcess run = run(Map.of(), Map.of("MILLRACE_LOG_FORMAT", "xml"))) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.output())
          .contains("MILLRACE_LOG_FORMAT must be one of text, json; found \"xml\"");
    }
  }
}
