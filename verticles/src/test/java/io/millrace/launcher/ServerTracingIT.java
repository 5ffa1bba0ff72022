package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server exports spans where the environment says, and only if it was told to. */
@Tag("any-database")
class ServerTracingIT {
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private static final DevStack stack = SharedStack.get();

  @TempDir Path directory;
  private final Collector collector = new Collector();
  private Stand stand;
  private String topic;

  @BeforeEach
  void prepare() {
    stand = new Stand(stack);
    topic = "exported-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
  }

  @AfterEach
  void end() {
    stand.close();
    collector.close();
  }

  private MainProcess run(Map<String, ?> own, Map<String, String> environment) throws Exception {
    Path config = Stand.writeConfig(directory.resolve("millrace.yaml"), stand.config(own));
    return MainProcess.start(
        directory.resolve("run.log"), environment, List.of(), "run", "--config", config.toString());
  }

  private String relayed() throws Exception {
    stand.sql(
        "select millrace.append('%s', 'order', 'o-1', 'placed', null, headers => array['traceparent', '%s'])"
            .formatted(topic, PARENT));
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      return String.join(" and ", Arrivals.headers(arrivals.await(1).get(0), "traceparent"));
    }
  }

  @Test
  void a_server_that_traces_exports_its_spans_under_its_name_and_its_nodes() throws Exception {
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(), "OTEL_BSP_SCHEDULE_DELAY", "100");
    try (MainProcess run =
        run(Map.of("tracing.enabled", true, "node.id", "node-seven"), environment)) {
      assertThat(relayed()).isNotEqualTo(PARENT).startsWith("00-0af7651916cd43dd8448eb211c80319c-");
      await().atMost(Stand.LIMIT).until(() -> !collector.posts().isEmpty());
      run.terminate();

      assertThat(run.exitCode()).as(run.output()).isZero();
    }
    assertThat(collector.posts())
        .allSatisfy(post -> assertThat(post.getKey()).isEqualTo("/v1/traces"))
        .anySatisfy(
            post ->
                assertThat(post.getValue())
                    .contains("relay " + topic, "send " + topic)
                    .contains("service.name", "millrace", "service.instance.id", "node-seven"));
  }

  @Test
  void a_server_that_was_not_told_to_trace_exports_nothing_whatever_the_environment_says()
      throws Exception {
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(), "OTEL_BSP_SCHEDULE_DELAY", "1");
    try (MainProcess run = run(Map.of(), environment)) {
      assertThat(relayed()).isEqualTo(PARENT);
      run.terminate();
      assertThat(run.exitCode()).as(run.output()).isZero();
    }
    assertThat(collector.posts()).isEmpty();
  }

  @Test
  void a_collector_that_is_away_keeps_nothing_from_arriving() throws Exception {
    Map<String, String> environment =
        Map.of(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1",
            "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true",
            "OTEL_BSP_SCHEDULE_DELAY", "100");
    try (MainProcess run = run(Map.of("tracing.enabled", true), environment)) {
      assertThat(relayed()).startsWith("00-0af7651916cd43dd8448eb211c80319c-");
      await()
          .atMost(Stand.LIMIT)
          .until(() -> run.lines().stream().anyMatch(line -> line.contains("Failed to export")));
      run.terminate();

      assertThat(run.exitCode()).as(run.output()).isZero();
      assertThat(run.lines().stream().filter(line -> line.contains("Failed to export")))
          .as("told by Millrace's own logging")
          .allSatisfy(line -> assertThat(line).contains(" [", "HttpExporter"));
    }
  }

  @Test
  void what_the_environment_asks_for_and_cannot_be_had_is_refused_in_one_line() throws Exception {
    for (Map<String, String> environment :
        List.of(
            Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            Map.of("OTEL_TRACES_EXPORTER", "zipkin"),
            Map.of("OTEL_BSP_SCHEDULE_DELAY", "soon"))) {
      try (MainProcess run = run(Map.of("tracing.enabled", true), environment)) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
            .as(environment.toString())
            .contains("millrace: Millrace does not start: tracing.enabled is true")
            .doesNotContain("\tat ");
      }
    }
  }
}
