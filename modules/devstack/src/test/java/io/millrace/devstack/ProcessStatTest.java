package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessStatTest {

  @Test
  void a_child_is_found_below_its_parent_and_is_alive_until_it_ends() throws Exception {
    Process child = new ProcessBuilder("cat").start();
    try {
      List<ProcessStat> found = ProcessStat.descendants(ProcessHandle.current().pid());
      assertThat(found).extracting(ProcessStat::pid).contains(child.pid());
      ProcessStat stat = ProcessStat.read(child.pid()).orElseThrow();
      assertThat(stat.parent()).isEqualTo(ProcessHandle.current().pid());
      assertThat(stat.isAlive()).isTrue();
      assertThat(stat.isStopped()).isFalse();
      child.destroyForcibly().waitFor();
      assertThat(stat.isAlive()).isFalse();
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void a_zombie_is_not_alive() throws IOException {
    // The shell becomes a cat, which never collects the child it took over.
    Process parent =
        new ProcessBuilder("sh", "-c", "tail -f /dev/null & echo $!; exec cat").start();
    try (BufferedReader lines = parent.inputReader();
        BufferedWriter toCat = parent.outputWriter()) {
      long child = Long.parseLong(lines.readLine());
      toCat.write("become a cat\n");
      toCat.flush();
      assertThat(lines.readLine()).isEqualTo("become a cat");
      ProcessStat stat = ProcessStat.read(child).orElseThrow();
      assertThat(stat.isAlive()).isTrue();
      ProcessHandle.of(child).orElseThrow().destroyForcibly();
      assertThat(Await.until(Duration.ofSeconds(5), () -> !stat.isAlive())).isTrue();
      assertThat(ProcessStat.read(child)).map(ProcessStat::state).hasValue('Z');
    } finally {
      parent.destroyForcibly();
    }
  }
}
