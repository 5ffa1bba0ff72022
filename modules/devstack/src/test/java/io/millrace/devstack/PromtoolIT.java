package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromtoolIT {
  @TempDir Path directory;

  @Test
  void it_runs_wherever_it_comes_from() throws Exception {
    assertThat(Promtool.program()).isExecutable();
    Process version =
        new ProcessBuilder(Promtool.program().toString(), "--version")
            .redirectErrorStream(true)
            .start();
    String text = new String(version.getInputStream().readAllBytes());
    assertThat(version.waitFor()).as(text).isZero();
    assertThat(text).contains("promtool, version");
  }

  @Test
  void it_comes_from_the_systems_packages_with_nothing_installed() throws Exception {
    Path folder =
        new ProgramCache(directory.resolve("cache"))
            .folder("promtool", new FetchScript("package.sh", List.of("prometheus"))::run);

    assertThat(folder.resolve("usr/bin/promtool")).isExecutable();
    assertThat(Files.list(directory.resolve("cache")))
        .extracting(path -> path.getFileName().toString())
        .containsExactlyInAnyOrder("promtool", "promtool.lock");
  }
}
