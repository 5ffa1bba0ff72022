package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a server process ends: settled, at its limit, or at once. */
@Tag("any-database")
class StopIT {
  private static final String TOPIC = "stopped";
  private static final Pattern ADMIN = Pattern.compile("Millrace runs, admin on port (\\d+)");

  @TempDir Path directory;

  private DevStack stack;
  private Stand stand;

  @BeforeEach
  void startServers() {
    stack = DevStack.start(DevStackSpec.temporary());
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stand = new Stand(stack);
  }

  @AfterEach
  void stopServers() {
    stand.close();
    stack.close();
  }

  @Test
  void a_stop_under_load_settles_so_that_the_next_node_repeats_nothing() throws Exception {
    AtomicBoolean isEnough = new AtomicBoolean();
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      CompletableFuture<List<String>> load =
          CompletableFuture.supplyAsync(() -> appendUntil(isEnough));
      try (MainProcess first = run("first", Map.of())) {
        arrivals.await(50);
        first.terminate();
        assertThat(first.exitCode()).as(first.output()).isZero();
        assertThat(first.output())
            .contains("told to stop", "Millrace has stopped")
            .doesNotContain("not drained");
      } finally {
        isEnough.set(true);
      }
      assertThat(stand.number("select count(owner) from millrace.shard")).isZero();
      List<String> payloads = appended(load);
      try (MainProcess second = run("second", Map.of())) {
        assertThat(arrivals.awaitPayloads(payloads)).isEqualTo(payloads);
        second.terminate();
        assertThat(second.exitCode()).as(second.output()).isZero();
      }
    }
  }

  /** One aggregate, so that the order of all can be told. */
  private List<String> appendUntil(AtomicBoolean isEnough) {
    List<String> payloads = new ArrayList<>();
    try (Connection connection = stand.connect()) {
      while (!isEnough.get()) {
        String payload = "p" + payloads.size();
        Stand.sql(connection, Stand.append(TOPIC, "o-1", payload));
        payloads.add(payload);
      }
      return payloads;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> appended(CompletableFuture<List<String>> load)
      throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
    return load.get(Stand.LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** The limit is longer than this test waits for the end. */
  @Test
  void a_second_signal_ends_a_stop_that_waits_for_the_broker_at_once() throws Exception {
    Map<String, Object> patient =
        Map.of("relay.settle_timeout_ms", 250_000, "shutdown.drain_timeout_ms", 600_000);
    try (MainProcess run = run("patient", patient)) {
      bringSomethingOnItsWay(run);
      run.terminate();
      awaitOutput(run, "waits until shards");
      awaitOutput(run, "still waits for the end of: relay");

      run.terminate();

      assertThat(run.exitCode()).as(run.output()).isEqualTo(SecondSignal.CUT_SHORT);
      assertThat(run.output())
          .contains("told to stop once more: ends at once")
          .doesNotContain("Millrace has stopped", "not drained");
    } finally {
      stack.kafka().resume();
    }
  }

  @Test
  void without_a_second_signal_a_stop_that_cannot_settle_ends_at_its_limit() throws Exception {
    Map<String, Object> hasty =
        Map.of(
            "relay.settle_timeout_ms", 3_000,
            "inbox.settle_timeout_ms", 3_000,
            "shutdown.drain_timeout_ms", 4_000);
    try (MainProcess run = run("hasty", hasty)) {
      bringSomethingOnItsWay(run);
      stack.postgres().pause();
      run.terminate();

      assertThat(run.exitCode()).as(run.output()).isEqualTo(1);
      assertThat(run.output())
          .containsPattern(
              "not drained within shutdown.drain_timeout_ms = 4000, [a-z ]+ had not ended")
          .doesNotContain("Millrace has stopped");
    } finally {
      stack.postgres().resume();
      stack.kafka().resume();
    }
  }

  /** To a topic that the producer knows already, or it would not be handed over. */
  private void bringSomethingOnItsWay(MainProcess run) throws Exception {
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      stand.sql(Stand.append(TOPIC, "o-1", "arrives"));
      arrivals.awaitPayloads(List.of("arrives"));
    }
    stack.kafka().pause();
    stand.sql(Stand.append(TOPIC, "o-1", "on its way"));
    AdminPages pages = pagesOf(run);
    await("bytes in flight")
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () ->
                pages.metric("millrace_bytes_in_flight").stream()
                    .anyMatch(line -> !line.endsWith(" 0.0")));
  }

  private static AdminPages pagesOf(MainProcess run) throws Exception {
    Matcher port = ADMIN.matcher(run.output());
    assertThat(port.find()).as(run.output()).isTrue();
    return new AdminPages(Integer.parseInt(port.group(1)));
  }

  private MainProcess run(String name, Map<String, Object> own) throws Exception {
    Map<String, Object> values = new HashMap<>(own);
    values.put("node.id", name);
    Path config = Stand.writeConfig(directory.resolve(name + ".yaml"), stand.config(values));
    MainProcess run =
        MainProcess.start(directory.resolve(name + ".log"), "run", "--config", config.toString());
    awaitOutput(run, "Millrace runs, admin on port");
    return run;
  }

  private static void awaitOutput(MainProcess process, String part) {
    await(part)
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> assertThat(process.output()).contains(part));
  }
}
