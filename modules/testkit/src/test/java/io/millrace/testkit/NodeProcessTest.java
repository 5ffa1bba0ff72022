package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeProcessTest {
  @TempDir Path directory;

  private Path log;
  private NodeProcess node;

  @BeforeEach
  void start() {
    log = directory.resolve("node.log");
    node = NodeProcess.start(List.of(), log, List.of("-Xmx32m"), List.of(TickMain.class.getName()));
    awaitMoreThan(0);
  }

  @AfterEach
  void end() {
    node.close();
    assertThat(node.isAlive()).isFalse();
  }

  private long size() throws IOException {
    return Files.size(log);
  }

  private void awaitMoreThan(long size) {
    await().until(this::size, now -> now > size);
  }

  @Test
  void a_suspended_program_stands_still_until_it_is_resumed() throws IOException {
    node.suspend();
    long size = size();
    await().during(Duration.ofMillis(200)).until(() -> size() == size);
    assertThat(node.isAlive()).isTrue();

    node.resume();
    awaitMoreThan(size);
  }

  @Test
  void a_suspended_program_can_be_killed() {
    node.suspend();
    node.kill();
    assertThat(node.isAlive()).isFalse();
  }

  @Test
  void a_terminated_program_has_ended() {
    node.terminate();
    assertThat(node.isAlive()).isFalse();
  }
}
