package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.LanguagePrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What docs/any-language.md shows, run as it stands there by psql, Python, Node.js and Java, and
 * published. In each language: an order is placed, paid, refused a second payment; a stock is
 * counted, a wrong expectation is refused; a message is booked, its repeat is not.
 */
@Tag("any-database")
class AnyLanguageIT {
  private static final Path PAGE = Path.of("../docs/any-language.md");
  private static final String LOGIN = "any_language";

  private static DevStack stack;
  private static Stand stand;

  @TempDir Path directory;

  @BeforeAll
  static void start() throws Exception {
    stack = SharedStack.get();
    stack.kafka().createTopic("orders", 1, Map.of());
    stack.kafka().createTopic("stock", 1, Map.of());
    stand = new Stand(stack);
    stand.sql(
        "create role any_language login in role millrace_writer, millrace_inbox",
        "grant create on schema public to any_language");
    try (Connection connection = connect()) {
      Stand.sql(connection, block("sql"));
    }
    stand.start(Map.of());
  }

  @BeforeEach
  void openAccount() throws SQLException {
    stand.sql("truncate account", "insert into account values (0)");
  }

  @AfterAll
  static void end() throws Exception {
    stand.close();
  }

  @Test
  void psql() throws Exception {
    Path script = write("page.sql", block("psql"));

    run(
        programs().psql(),
        "-XqAt",
        "-v",
        "ON_ERROR_STOP=1",
        "-v",
        "order_id=of-psql",
        "-f",
        script);

    assertPublishedAndBooked("of-psql", 500);
    // Paid already: the statement that guards finds no row, and nothing is appended.
    Path guarded = write("guarded.sql", block("psql").split("\n\n")[1]);
    assertThat(run(programs().psql(), "-XqAt", "-v", "order_id=of-psql", "-f", guarded)).isEmpty();
    assertThat(messagesOf("of-psql")).isEqualTo(3);
  }

  @Test
  void python() throws Exception {
    Path script =
        write(
            "page.py",
            block("python")
                + """

                import psycopg

                connection = psycopg.connect("", autocommit=True)
                message_id = place(connection, "of-python", 700)
                assert pay(connection, "of-python", 1)
                assert not pay(connection, "of-python", 1)
                assert count_stock(connection, "of-python", 5, 0) == 1
                try:
                    count_stock(connection, "of-python", 6, 0)
                    raise AssertionError("counted")
                except psycopg.errors.UniqueViolation:
                    pass
                assert book(connection, message_id, 700)
                assert not book(connection, message_id, 700)
                """);

    run(programs().python(), script);

    assertPublishedAndBooked("of-python", 700);
  }

  @Test
  void node() throws Exception {
    Path script =
        write(
            "page.js",
            block("javascript")
                + """

                const assert = require('assert');
                (async () => {
                  const client = new (require('pg').Client)();
                  await client.connect();
                  const messageId = await place(client, 'of-node', 900);
                  assert(await pay(client, 'of-node', 1));
                  assert(!await pay(client, 'of-node', 1));
                  assert.equal(await countStock(client, 'of-node', 5, 0), 1);
                  await assert.rejects(countStock(client, 'of-node', 6, 0), { code: '23505' });
                  assert(await book(client, messageId, 900));
                  assert(!await book(client, messageId, 900));
                  await client.end();
                })();
                """);

    run(programs().node(), "--unhandled-rejections=strict", script);

    assertPublishedAndBooked("of-node", 900);
  }

  @Test
  void jdbc() throws Exception {
    assertThat(Files.readString(Path.of("src/test/java/io/millrace/launcher/JdbcSnippets.java")))
        .contains(block("java"));
    JdbcSnippets page = new JdbcSnippets();
    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      UUID messageId = page.place(connection, "of-jdbc", 1_100);
      assertThat(page.pay(connection, "of-jdbc", 1)).isTrue();
      assertThat(page.pay(connection, "of-jdbc", 1)).isFalse();
      assertThat(page.countStock(connection, "of-jdbc", 5, 0)).isEqualTo(1);
      connection.commit();
      assertThatThrownBy(() -> page.countStock(connection, "of-jdbc", 6, 0))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"));
      connection.rollback();
      assertThat(page.book(connection, messageId, 1_100)).isTrue();
      connection.commit();
      assertThat(page.book(connection, messageId, 1_100)).isFalse();
      connection.commit();
    }

    assertPublishedAndBooked("of-jdbc", 1_100);
  }

  private static void assertPublishedAndBooked(String id, long cents) throws Exception {
    assertThat(published("orders", id)).containsExactly("order_placed -", "order_paid 2");
    assertThat(published("stock", id)).containsExactly("counted 1");
    assertThat(
            stand.number(
                "select count(*) from millrace.inbox i join millrace.outbox o"
                    + " using (message_id) where o.aggregate_id = '"
                    + id
                    + "'"))
        .isEqualTo(1);
    assertThat(stand.text("select amount_cents || status from orders where id = '" + id + "'"))
        .isEqualTo(cents + "paid");
    assertThat(stand.number("select balance_cents from account")).isEqualTo(cents);
  }

  /** Event type and revision of the records of that key, when the last one has arrived. */
  private static List<String> published(String topic, String key) {
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      int count = topic.equals("orders") ? 2 : 1;
      return Awaitility.await()
          .atMost(Stand.LIMIT)
          .pollInSameThread()
          .until(
              () ->
                  arrivals.read().stream()
                      .filter(r -> Arrivals.text(r.key()).equals(key))
                      .map(AnyLanguageIT::shown)
                      .toList(),
              records -> records.size() >= count);
    }
  }

  private static String shown(ConsumerRecord<byte[], byte[]> record) {
    List<String> revision = Arrivals.headers(record, "millrace_revision");
    return Arrivals.headers(record, "ce_type").get(0)
        + " "
        + (revision.isEmpty() ? "-" : revision.get(0));
  }

  private static long messagesOf(String id) throws SQLException {
    return stand.number("select count(*) from millrace.outbox where aggregate_id = '" + id + "'");
  }

  private static LanguagePrograms programs() {
    return LanguagePrograms.find();
  }

  /** The page's only block of that language. */
  private static String block(String language) throws IOException {
    Matcher matcher =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertThat(matcher.find()).as("a block of " + language).isTrue();
    String found = matcher.group(1);
    assertThat(matcher.find()).as("a second block of " + language).isFalse();
    return found;
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /** What it has printed; fails unless it ends well. */
  private String run(Path program, Object... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    Path log = directory.resolve("output");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(programs().home().toFile());
    builder.environment().putAll(programs().environment());
    builder
        .environment()
        .putAll(
            Map.of(
                "PGHOST", stack.postgres().host(),
                "PGPORT", Integer.toString(stack.postgres().port()),
                "PGDATABASE", stand.database(),
                "PGUSER", LOGIN));
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(process.waitFor(Stand.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    String output = Files.readString(log);
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(stack.postgres().jdbcUrl(stand.database()), LOGIN, "");
  }
}
