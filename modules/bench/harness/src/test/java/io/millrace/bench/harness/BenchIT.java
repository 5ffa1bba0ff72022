package io.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the benchmarks work, not what they find: no speed is asked for. */
@Tag("any-database")
class BenchIT {
  private static final String FOLDER = "..";

  @TempDir Path directory;

  @Test
  void a_quick_run_measures_the_peers_and_finds_every_message_in_order() throws IOException {
    Path report = directory.resolve("benchmarks.md");
    Path figures = directory.resolve("benchmarks.json");
    int exit =
        BenchCommand.run(
            "--quick",
            "--only=relay",
            "--peers=millrace,classic-200",
            "--folder=" + FOLDER,
            "--out=" + report,
            "--json=" + figures);
    assertThat(exit).isZero();
    assertThat(new JsonObject(Files.readString(figures)).getJsonArray("figures")).hasSize(6);
    assertThat(rows(report, "millrace")).isEqualTo(2);
    assertThat(rows(report, "classic-200")).isEqualTo(2);
  }

  /**
   * Nothing is missing and nothing out of order; on a machine that stands still for longer than a
   * lease lasts there are repeats.
   *
   * <p>Of tables of figures, not of the list of subjects.
   */
  private static long rows(Path report, String subject) throws IOException {
    try (var lines = Files.lines(report)) {
      return lines
          .filter(line -> line.startsWith("| " + subject + " |"))
          .filter(line -> line.endsWith("| all once, in order |") || line.endsWith(" repeated |"))
          .filter(line -> !line.contains(" delivered in "))
          .count();
    }
  }

  @Test
  void an_option_out_of_its_limits_is_named_with_them() {
    assertThat(BenchCommand.run("--rounds=0", "--folder=" + FOLDER)).isOne();
    assertThat(BenchCommand.run("--peers=nobody", "--folder=" + FOLDER)).isOne();
  }
}
