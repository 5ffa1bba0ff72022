package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as an operator runs it: a process, a configuration file, signals, exit codes. */
@Tag("any-database")
class MainIT {
  private static final String TOPIC = "served";

  private static final DevStack stack = SharedStack.get();
  private static Stand stand;

  @TempDir Path directory;

  @BeforeAll
  static void lay() {
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stand = new Stand(stack);
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @Test
  void migrate_lays_the_schema_and_run_relays_until_it_is_told_to_stop() throws Exception {
    stack.postgres().createDatabase("served");
    Path config = config(Map.of("database.name", "served"));
    for (String expected :
        List.of(" scripts run, 0 indexes of slots changed)", "(0 scripts run, ")) {
      try (MainProcess migrate = start("migrate", config)) {
        assertThat(migrate.exitCode()).as(migrate.output()).isZero();
        assertThat(migrate.output()).contains("schema millrace is at version", expected);
      }
    }
    try (MainProcess run = start("run", config);
        Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC);
        Connection connection =
            DriverManager.getConnection(
                stack.postgres().jdbcUrl("served"), stack.postgres().user(), "")) {
      awaitOutput(run, "Millrace runs, admin on port");
      List<String> payloads = IntStream.range(0, 100).mapToObj(i -> "p" + i).toList();
      for (String payload : payloads) {
        Stand.sql(connection, Stand.append(TOPIC, "o-1", payload));
      }
      arrivals.awaitPayloads(List.of("p0"));
      long toldAt = System.nanoTime();
      run.terminate();

      assertThat(run.exitCode()).as(run.output()).isZero();
      assertThat(Duration.ofNanos(System.nanoTime() - toldAt)).isLessThan(Duration.ofSeconds(20));
      assertThat(run.output()).contains("Millrace has stopped").doesNotContain("not drained");
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "select (select count(*) from millrace.node), (select count(owner) from millrace.shard)")) {
        rows.next();
        assertThat(rows.getInt(1)).as("nodes left").isZero();
        assertThat(rows.getInt(2)).as("shards still owned").isZero();
      }
      List<String> arrived = Arrivals.texts(arrivals.read());
      assertThat(arrived).doesNotHaveDuplicates().isEqualTo(payloads.subList(0, arrived.size()));
    }
  }

  @Test
  void a_bad_configuration_is_refused_with_every_problem_at_once() throws Exception {
    Path config =
        config(
            Map.of(
                "relay.batch_rows_max", 0,
                "relay.batch_row_max", 10,
                "node.heartbeat_interval_ms", 1_000,
                "kafka.bootstrap_servers", "nowhere"));
    try (MainProcess run = start("run", config)) {
      assertThat(run.exitCode()).isNotZero();
      assertThat(run.output())
          .contains("relay.batch_rows_max")
          .contains("relay.batch_row_max")
          .contains("kafka.bootstrap_servers")
          .doesNotContain("\tat ");
    }
  }

  @Test
  void a_database_that_cannot_be_reached_ends_the_process_with_one_clear_line() throws Exception {
    for (String command : List.of("run", "migrate")) {
      try (MainProcess process = start(command, config(Map.of("database.port", 1)))) {
        assertThat(process.exitCode()).isNotZero();
        assertThat(process.lines())
            .as(command)
            .hasSize(1)
            .first()
            .asString()
            .startsWith("millrace: ")
            .contains("127.0.0.1:1");
      }
    }
  }

  @Test
  void a_server_that_was_laid_with_another_shard_count_is_refused() throws Exception {
    try (MainProcess run = start("run", config(Map.of("schema.shard_count", 16)))) {
      assertThat(run.exitCode()).isNotZero();
      assertThat(run.output()).contains("schema.shard_count is 16").doesNotContain("\tat ");
    }
  }

  private Path config(Map<String, ?> own) {
    return Stand.writeConfig(directory.resolve("millrace.yaml"), stand.config(own));
  }

  private MainProcess start(String command, Path config) throws Exception {
    return MainProcess.start(
        directory.resolve(command + ".log"), command, "--config", config.toString());
  }

  private static void awaitOutput(MainProcess process, String part) {
    await(part)
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> process.output().contains(part));
  }
}
