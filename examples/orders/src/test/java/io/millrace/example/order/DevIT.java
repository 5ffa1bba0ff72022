package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.testkit.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dev command as a person starts it, in a process and with a temporary folder of its own. */
class DevIT {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir Path directory;

  @Test
  void it_checks_what_arrives_and_ends_cleanly_after_its_duration() throws IOException {
    NodeProcess dev = start("--rate", "100", "--duration", "5");
    await().atMost(LIMIT).until(() -> !dev.isAlive());
    assertThat(output())
        .contains("ring: ")
        .doesNotContain("OUT OF ORDER")
        .doesNotContain(" OFF")
        .containsPattern("OK: [1-9][0-9,]* orders paid once and shipped, .* balance [0-9,.]+ OK");
    assertNothingLeft();
  }

  @Test
  void ctrl_c_ends_it_with_a_verdict() throws IOException {
    NodeProcess dev = start("--rate", "100");
    awaitLive();
    dev.terminate();
    assertThat(output()).contains("OK: ");
    assertNothingLeft();
  }

  @Test
  void killed_it_leaves_no_process_and_no_file() throws IOException {
    NodeProcess dev = start("--rate", "100");
    awaitLive();
    dev.kill();
    assertNothingLeft();
  }

  @Test
  void a_wrong_option_is_refused_with_its_limit() throws IOException {
    NodeProcess dev = start("--rate", "0");
    await().atMost(LIMIT).until(() -> !dev.isAlive());
    assertThat(output()).contains("--rate must be 1 to 20000, found 0");
  }

  private NodeProcess start(String... options) throws IOException {
    Files.createDirectories(directory.resolve("tmp"));
    return NodeProcess.start(
        List.of(),
        directory.resolve("dev.log"),
        List.of("-Xmx512m", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + directory.resolve("tmp")),
        Stream.concat(Stream.of(DevCommand.class.getName()), Stream.of(options)).toList());
  }

  private void awaitLive() {
    await().atMost(LIMIT).until(() -> output().contains("2 s  placed"));
  }

  private String output() throws IOException {
    Path log = directory.resolve("dev.log");
    return Files.exists(log) ? Files.readString(log) : "";
  }

  /**
   * Every server that dev starts has its files below the temporary folder, and so names it on its
   * command line.
   */
  private void assertNothingLeft() {
    String folder = directory.resolve("tmp").toString();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(processesNaming(folder)).isEmpty();
              try (Stream<Path> left = Files.list(directory.resolve("tmp"))) {
                assertThat(left.filter(p -> p.getFileName().toString().startsWith("millrace")))
                    .isEmpty();
              }
            });
  }

  private static Set<String> processesNaming(String text) {
    return ProcessHandle.allProcesses()
        .filter(p -> p.pid() != ProcessHandle.current().pid())
        .map(p -> p.info().commandLine().orElse(""))
        .filter(line -> line.contains(text))
        .collect(Collectors.toSet());
  }
}
