package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeJsIT {
  @TempDir Path directory;

  @Test
  void those_of_the_systems_packages_fetch_a_package_and_run_it() throws Exception {
    NodeJs unpacked = NodeJs.ofPackages(ProgramCache.ofUser());
    assertThat(unpacked.npm()).hasValueSatisfying(npm -> assertThat(npm).isRegularFile());
    Path folder = Files.createDirectory(directory.resolve("parent")).resolve("packages");

    unpacked.install(folder, List.of("yaml@2.8.1"));

    Path script = directory.resolve("script.cjs");
    Files.writeString(
        script, "console.log(require(process.argv[2] + '/node_modules/yaml').parse('a: 7').a)");
    Process run = unpacked.start(script, folder.toString());
    String text = new String(run.getInputStream().readAllBytes());
    assertThat(run.waitFor()).as(text).isZero();
    assertThat(text.strip()).isEqualTo("7");
  }
}
