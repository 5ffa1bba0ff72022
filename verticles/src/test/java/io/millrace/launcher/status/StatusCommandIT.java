package io.millrace.launcher.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a person sees in the terminal of a node that runs. */
@Tag("any-database")
class StatusCommandIT {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final DevStack stack = SharedStack.get();

  @TempDir Path directory;

  private Stand stand;
  private String topic;
  private final StringWriter text = new StringWriter();

  @BeforeEach
  void lay() {
    stand = new Stand(stack);
    topic = "told-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
  }

  @AfterEach
  void end() {
    stand.close();
  }

  private String start(Map<String, ?> own) {
    Stand.Node node = stand.start(own);
    int port = node.millrace().adminPort().orElseThrow();
    return "http://127.0.0.1:" + port;
  }

  private int execute(Callable<Integer> command, String... arguments) {
    return new CommandLine(command)
        .setOut(new PrintWriter(text))
        .setErr(new PrintWriter(text, true))
        .setExecutionExceptionHandler(
            (failure, line, parsed) -> {
              line.getErr().println(failure.getMessage());
              return 1;
            })
        .execute(arguments);
  }

  @Test
  void status_tells_of_ring_shards_inbox_and_nodes() throws Exception {
    String url = start(Map.of());
    stand.sql(Stand.append(topic, "o-1", "told"));
    await()
        .atMost(Stand.LIMIT)
        .until(
            () -> {
              text.getBuffer().setLength(0);
              return execute(new StatusCommand(), "--url", url) == 0
                  && text.toString().contains("backlog 0, oldest 0.0 s, parked 0")
                  && text.toString().contains("node-1, relay of 4 shards");
            });
    assertThat(text.toString())
        .startsWith("ready\nring     2 free, 1 hot; ")
        .contains("shards   4: 0 without owner, 0 paused; ")
        .contains("node-1, maintenance now, ");
  }

  @Test
  void what_does_not_move_is_told_and_the_exit_code_says_so() throws Exception {
    String url = start(Map.of());
    stand.sql(Stand.append("missing-" + System.nanoTime(), "o-1", "waits"));
    await()
        .atMost(Stand.LIMIT)
        .until(
            () -> {
              text.getBuffer().setLength(0);
              execute(new StatusCommand(), "--url", url);
              return text.toString().contains("  topic missing-");
            });
    assertThat(text.toString()).contains("quarantined topics 1").contains(" is quarantined: ");
  }

  @Test
  void top_looks_again_with_the_shards_that_are_furthest_behind() throws Exception {
    String url = start(Map.of());

    assertThat(
            execute(
                new TopCommand(),
                "--url",
                url,
                "--plain",
                "--rounds",
                "2",
                "--interval",
                "1",
                "--shards",
                "3"))
        .isZero();
    List<String> lines = text.toString().lines().toList();
    assertThat(lines).filteredOn(line -> line.startsWith("millrace  ")).hasSize(2);
    assertThat(lines).filteredOn(line -> line.startsWith(" shard node ")).hasSize(2);
    assertThat(lines.subList(lines.size() - 3, lines.size()))
        .allSatisfy(line -> assertThat(line).containsPattern("^ +[0-9]+ "));
    assertThat(execute(new TopCommand(), "--url", url, "--interval", "0")).isEqualTo(1);
    assertThat(text.toString()).contains("--interval must be 1 to 3600, found 0");
  }

  @Test
  void a_token_comes_from_a_file_and_without_it_the_answer_is_told() throws Exception {
    String url = start(Map.of("admin.tokens", Map.of("ann", "viewer:" + TOKEN)));
    Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");

    assertThat(execute(new StatusCommand(), "--url", url)).isEqualTo(1);
    assertThat(text.toString()).contains("answers 401: a bearer token is needed");
    text.getBuffer().setLength(0);
    assertThat(execute(new StatusCommand(), "--url", url, "--token-file", file.toString()))
        .isBetween(0, 1);
    assertThat(text.toString()).contains("ring     2 free, 1 hot; ");
  }

  @Test
  void a_node_that_is_not_there_is_told_with_its_address() {
    assertThat(execute(new StatusCommand(), "--url", "http://127.0.0.1:1")).isEqualTo(1);
    assertThat(text.toString()).contains("http://127.0.0.1:1/health/ready does not answer");
    assertThat(execute(new StatusCommand(), "--url", "ftp://there")).isEqualTo(1);
    assertThat(text.toString())
        .contains("--url must be http://... or https://..., found ftp://there");
  }
}
