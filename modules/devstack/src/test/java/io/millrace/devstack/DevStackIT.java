package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevStackIT {

  @Test
  void both_servers_start_and_close_together() throws Exception {
    List<Path> directories;
    try (DevStack stack = DevStack.start(DevStackSpec.temporary())) {
      stack.kafka().createTopic("events", 3, Map.of());
      assertThat(Sql.value(stack.postgres(), "postgres", "select 1")).isEqualTo("1");
      directories =
          List.of(stack.postgres().logFile().getParent(), stack.kafka().logFile().getParent());
      assertThat(directories).allMatch(Files::isDirectory);
    }
    assertThat(directories).noneMatch(Files::exists);
  }

  @Test
  void a_jvm_killed_with_sigkill_leaves_no_process_and_no_directory_behind() throws Exception {
    try (ChildJvm jvm = ChildJvm.start(StackMain.class)) {
      List<Path> directories =
          jvm.linesUntilReady().stream()
              .filter(line -> line.startsWith("directory "))
              .map(line -> Path.of(line.substring("directory ".length())))
              .toList();
      assertThat(directories).hasSize(3).allMatch(Files::isDirectory);
      List<ProcessStat> family = ProcessStat.descendants(jvm.process().pid());
      // Three watchdogs with a subshell each, the postmaster with its children, broker and pooler.
      assertThat(family).hasSizeGreaterThan(12).allMatch(ProcessStat::isAlive);

      jvm.process().destroyForcibly();

      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () -> {
                assertThat(family).noneMatch(ProcessStat::isAlive);
                assertThat(directories).noneMatch(Files::exists);
              });
    }
  }

  @Test
  void when_one_server_does_not_start_the_other_is_closed_again(@TempDir Path directory) {
    DevStackSpec spec =
        new DevStackSpec(
            PostgresSpec.fromSystemProperty()
                .withDataDirectory(directory)
                .withSettings(Map.of("no_such_setting", "on")),
            KafkaSpec.defaults());
    long self = ProcessHandle.current().pid();
    assertThatThrownBy(() -> DevStack.start(spec))
        .isInstanceOf(DevStackException.class)
        .hasStackTraceContaining("no_such_setting");
    assertThat(ProcessStat.descendants(self)).isEmpty();
  }
}
