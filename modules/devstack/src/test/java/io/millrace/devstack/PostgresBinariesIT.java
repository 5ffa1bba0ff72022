package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesIT {

  @Test
  void three_jvms_that_unpack_at_the_same_time_leave_one_complete_folder(@TempDir Path cache)
      throws Exception {
    List<ChildJvm> jvms = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      jvms.add(ChildJvm.start(UnpackMain.class, cache.toString(), "18"));
    }
    List<String> folders = new ArrayList<>();
    for (ChildJvm jvm : jvms) {
      folders.addAll(jvm.linesUntilReady());
      assertThat(jvm.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(jvm.process().exitValue()).isZero();
    }
    assertThat(folders).hasSize(3);
    assertThat(folders.stream().distinct()).hasSize(1);
    assertComplete(cache, Path.of(folders.get(0)));
  }

  @Test
  void two_threads_that_unpack_at_the_same_time_leave_one_complete_folder(@TempDir Path cache) {
    CompletableFuture<Path> other =
        CompletableFuture.supplyAsync(
            () -> new PostgresBinaries(new ProgramCache(cache)).unpacked(15));
    Path folder = new PostgresBinaries(new ProgramCache(cache)).unpacked(15);
    assertThat(other.join()).isEqualTo(folder);
    assertThat(folder.resolve("bin/postgres")).isExecutable();
  }

  @Test
  void what_a_dead_jvm_left_half_unpacked_is_replaced(@TempDir Path cache) throws Exception {
    String name =
        new PostgresBinaries(new ProgramCache(cache.resolve("first")))
            .unpacked(18)
            .getFileName()
            .toString();
    Path second = Files.createDirectories(cache.resolve("second"));
    Files.createDirectories(second.resolve(name + ".unpacking/bin"));
    Files.writeString(second.resolve(name + ".unpacking/bin/postgres"), "half");
    assertComplete(second, new PostgresBinaries(new ProgramCache(second)).unpacked(18));
  }

  private static void assertComplete(Path cache, Path folder) throws Exception {
    assertThat(folder.resolve("bin/postgres")).isExecutable();
    assertThat(Files.size(folder.resolve("bin/postgres"))).isGreaterThan(1_000_000);
    assertThat(folder.resolve("bin/initdb")).isExecutable();
    try (Stream<Path> entries = Files.list(cache)) {
      assertThat(entries.filter(Files::isDirectory)).containsExactly(folder);
    }
  }
}
