package io.millrace.example.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.testkit.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a person starts it, in a process of its own. */
class FeaturesCommandIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir Path directory;

  @Test
  void what_a_subscriber_shows_at_the_end_is_what_the_table_holds() throws IOException {
    NodeProcess dev = start("--rate", "50", "--duration", "5");
    await().atMost(LIMIT).until(() -> !dev.isAlive());
    assertThat(output())
        .contains("busiest 88")
        .containsPattern("OK: [1-9][0-9,]* changes \\(create [1-9].*, [1-9][0-9]* vehicles as in");
  }

  @Test
  void a_wrong_option_is_refused_with_its_limit() throws IOException {
    NodeProcess dev = start("--rate", "0");
    await().atMost(LIMIT).until(() -> !dev.isAlive());
    assertThat(output()).contains("--rate must be 1 to 1000, found 0");
  }

  private NodeProcess start(String... options) {
    return NodeProcess.start(
        List.of(),
        directory.resolve("dev.log"),
        List.of("-Xmx512m", "-XX:+UseSerialGC"),
        Stream.concat(Stream.of(FeaturesCommand.class.getName()), Stream.of(options)).toList());
  }

  private String output() throws IOException {
    Path log = directory.resolve("dev.log");
    return Files.exists(log) ? Files.readString(log) : "";
  }
}
