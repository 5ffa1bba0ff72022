package io.millrace.spatial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every statement and every function of this module says what it is for and what it touches. */
class StatementTest {
  private static final Path FILES = Path.of("src/main/resources/io/millrace/spatial/statement");
  private static final Path SCHEMA = Path.of("../../sql/spatial");

  @ParameterizedTest
  @EnumSource(Statement.class)
  void a_statement_says_what_it_is_for(Statement statement) {
    List<String> lines = statement.text().lines().toList();
    String header =
        lines.stream().filter(l -> l.startsWith("--")).collect(Collectors.joining("\n"));
    String body = lines.stream().filter(l -> !l.startsWith("--")).collect(Collectors.joining("\n"));

    assertThat(header)
        .startsWith("-- Purpose: ")
        .contains("Rows returned: ", "Tables written: ", "Locks: ");
    Pattern.compile("\\$\\d")
        .matcher(body)
        .results()
        .forEach(p -> assertThat(header).contains(p.group()));
    assertThat(body).doesNotContain("select *").isEqualTo(body.toLowerCase(Locale.ROOT));
  }

  @Test
  void there_is_a_file_for_every_statement_and_no_other() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Arrays.stream(Statement.values())
                  .map(s -> s.name().toLowerCase(Locale.ROOT) + ".sql")
                  .toList());
    }
  }

  @Test
  void no_function_is_left_to_everybody() throws IOException {
    try (Stream<Path> files = Files.list(SCHEMA)) {
      for (Path file : files.filter(f -> f.getFileName().toString().startsWith("R__")).toList()) {
        String text = Files.readString(file);
        assertThat(text).as("%s", file).startsWith("-- Purpose: ");
        String revoked =
            Pattern.compile("revoke execute on (function|procedure)[^;]*from public;")
                .matcher(text)
                .results()
                .map(found -> found.group())
                .collect(Collectors.joining(" "));
        Pattern.compile("create or replace (?:function|procedure) (millrace_spatial\\.\\w+)\\(")
            .matcher(text)
            .results()
            .map(found -> found.group(1))
            .filter(name -> !name.equals("millrace_spatial.refuse_truncate"))
            .forEach(name -> assertThat(revoked).as("%s", file).containsPattern(name + "[, ]"));
      }
    }
  }
}
