package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StatementPrepareIT {
  private static final Pattern PARAMETER = Pattern.compile("\\$(\\d+)");

  /** Calls a function that returns nothing: no column is named. */
  private static final Pattern RETURNS_NOTHING =
      Pattern.compile("select millrace\\.\\w+\\([^)]*\\)");

  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  private static final Path STATEMENTS =
      Path.of("src/main/resources/io/millrace/postgres/statement");
  private static final Path SCHEMA = Path.of("../../sql");

  /** They have several commands, or commands that cannot be prepared. */
  private static final Set<String> SIMPLE =
      Set.of("begin_pass.sql", "begin_statement.sql", "limit_statements.sql");

  static Stream<Path> files() throws IOException {
    return Files.list(STATEMENTS).sorted();
  }

  static Stream<Path> schemaFiles() throws IOException {
    return Files.walk(SCHEMA)
        .filter(file -> file.getFileName().toString().startsWith("R__"))
        .sorted();
  }

  @ParameterizedTest
  @MethodSource("files")
  void every_statement_can_be_prepared_by_a_node(Path file) throws IOException, SQLException {
    if (isSimple(file)) {
      return;
    }
    Connection node = pg.connect(PgFixture.NODE);

    PgFixture.execute(node, "prepare tried as " + Files.readString(file));

    assertThat(
            PgFixture.value(
                node, "select cardinality(parameter_types) from pg_prepared_statements"))
        .isEqualTo(Long.toString(parametersOf(body(file))));
  }

  @Test
  void the_beginning_of_a_pass_is_a_read_only_transaction_with_its_settings() throws SQLException {
    Connection node = pg.connect(PgFixture.NODE);

    PgFixture.execute(node, Statement.BEGIN_PASS.text());

    assertThat(PgFixture.value(node, "show transaction_isolation")).isEqualTo("repeatable read");
    assertThat(PgFixture.value(node, "show transaction_read_only")).isEqualTo("on");
    assertThat(PgFixture.value(node, "show idle_in_transaction_session_timeout")).isEqualTo("3s");
    PgFixture.execute(node, "commit");
    assertThat(PgFixture.value(node, "show enable_seqscan")).isEqualTo("on");
    assertThat(PgFixture.value(node, "show idle_in_transaction_session_timeout")).isEqualTo("0");
  }

  @Test
  void behind_a_pooler_limits_end_with_the_transaction_of_the_statement() throws SQLException {
    Connection node = pg.connect(PgFixture.NODE);

    PgFixture.execute(node, Statement.BEGIN_STATEMENT.text());
    PgFixture.execute(node, Statement.LIMIT_STATEMENTS.text());

    assertThat(PgFixture.value(node, "show transaction_isolation")).isEqualTo("read committed");
    assertThat(PgFixture.value(node, "show idle_in_transaction_session_timeout")).isEqualTo("3s");
    assertThat(PgFixture.value(node, "show statement_timeout")).isEqualTo("30s");
    PgFixture.execute(node, "commit");
    assertThat(PgFixture.value(node, "show idle_in_transaction_session_timeout")).isEqualTo("0");
    assertThat(PgFixture.value(node, "show statement_timeout")).isEqualTo("0");
  }

  @ParameterizedTest
  @MethodSource("files")
  void every_statement_says_what_it_is_for_and_what_it_touches(Path file) throws IOException {
    String header = header(file);

    assertThat(header).startsWith("-- Purpose: ").contains("Locks: ");
    if (!isSimple(file)) {
      assertThat(header).contains("Tables written: ");
    }
    if (!isSimple(file) && !RETURNS_NOTHING.matcher(body(file).strip()).matches()) {
      assertThat(header).contains("Rows returned: ");
    }
    PARAMETER
        .matcher(body(file))
        .results()
        .forEach(found -> assertThat(header).contains(found.group()));
  }

  @ParameterizedTest
  @MethodSource("files")
  void no_statement_selects_whatever_columns_there_are(Path file) throws IOException {
    assertThat(body(file)).doesNotContainPattern("(?i)select\\s+\\*");
    assertThat(body(file)).isEqualTo(body(file).toLowerCase(Locale.ROOT));
  }

  @ParameterizedTest
  @MethodSource("schemaFiles")
  void every_function_file_says_what_it_is_for(Path file) throws IOException {
    assertThat(Files.readString(file)).startsWith("-- Purpose: ");
  }

  @Test
  void there_is_a_file_for_every_statement_and_no_other() throws Exception {
    try (Stream<Path> files = files()) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Arrays.stream(Statement.values())
                  .map(s -> s.name().toLowerCase(Locale.ROOT) + ".sql")
                  .toList());
    }
  }

  private static boolean isSimple(Path file) {
    return SIMPLE.contains(file.getFileName().toString());
  }

  private static long parametersOf(String body) {
    Matcher matcher = PARAMETER.matcher(body);
    return matcher.results().mapToLong(r -> Long.parseLong(r.group(1))).max().orElse(0);
  }

  private static String header(Path file) throws IOException {
    StringBuilder header = new StringBuilder();
    Files.readAllLines(file).stream()
        .takeWhile(line -> line.startsWith("--"))
        .forEach(line -> header.append(line).append('\n'));
    return header.toString();
  }

  private static String body(Path file) throws IOException {
    StringBuilder body = new StringBuilder();
    Files.readAllLines(file).stream()
        .filter(line -> !line.stripLeading().startsWith("--"))
        .forEach(line -> body.append(line).append('\n'));
    return body.toString();
  }
}
