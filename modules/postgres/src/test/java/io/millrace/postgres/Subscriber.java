package io.millrace.postgres;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;

/**
 * Stands in for Debezium: reads a replication slot as pgoutput writes it, confirms what it has
 * read, and does an operator's acts with the rights of the role for it.
 */
final class Subscriber {
  static final String NAME = "millrace_outbox";

  private static final Pattern MESSAGE_ID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");

  private final PgFixture pg;
  private final String name;
  private final List<String> messageIds = new ArrayList<>();
  private final StringBuilder kinds = new StringBuilder();

  private Connection operator;
  private Connection reader;

  /** Replication slots belong to the server, so each test has one of its own. */
  Subscriber(PgFixture pg) {
    this.pg = pg;
    this.name = "s" + Long.toString(System.nanoTime(), 36);
  }

  String name() {
    return name;
  }

  void make() {
    make("pgoutput", true);
  }

  void make(String plugin, boolean isMarked) {
    pg.execute(
        "select pg_create_logical_replication_slot('%s', '%s', false, %s)"
            .formatted(name, plugin, isMarked));
  }

  /** Databases with replication slots cannot be dropped. */
  void drop() {
    pg.execute(
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots"
            + " where database = current_database()");
  }

  /** What the switch waits for; null: it is done. */
  String useDebezium() {
    // The server of tests permits prepared transactions.
    return act(
        "millrace.use_debezium('%s', 'ann', 'tried', p_nobody_prepares => true)".formatted(name));
  }

  /** The whole way; a relay must have published everything. */
  void become() {
    act("millrace.prepare_debezium('ann', 'tried')");
    make();
    useDebezium();
    String waits = useDebezium();
    if (waits != null) {
      throw new AssertionError(waits);
    }
  }

  String useRelay() {
    return act("millrace.use_relay('ann', 'tried')");
  }

  String act(String call) {
    try {
      if (operator == null) {
        operator = pg.connect(PgFixture.OPERATOR);
        PgFixture.execute(operator, "set role millrace_operator");
      }
      return PgFixture.value(operator, "select " + call);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As Debezium does, without confirming anything; ends with the connection. */
  Connection startReading() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", PgFixture.OPERATOR);
    properties.setProperty("replication", "database");
    properties.setProperty("assumeMinServerVersion", "15");
    properties.setProperty("preferQueryMode", "simple");
    String database = pg.value("select current_database()");
    Connection connection = DriverManager.getConnection(pg.server().jdbcUrl(database), properties);
    connection
        .unwrap(PGConnection.class)
        .getReplicationAPI()
        .replicationStream()
        .logical()
        .withSlotName(name)
        .withSlotOption("proto_version", 1)
        .withSlotOption("publication_names", NAME)
        .start();
    return connection;
  }

  /** Reads and confirms everything that is in the log now. */
  void readAll() {
    read("null");
  }

  /** Reads and confirms up to a position in the log, whole transactions. */
  void read(String upTo) {
    String sql =
        """
        select data from pg_logical_slot_get_binary_changes('%s', %s, null,
          'proto_version', '1', 'publication_names', '%s')"""
            .formatted(name, upTo.equals("null") ? upTo : "'" + upTo + "'", NAME);
    reader = reader == null ? pg.connect(PgFixture.OPERATOR) : reader;
    try (Statement statement = reader.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        take(new String(rows.getBytes(1), ISO_8859_1));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void take(String change) {
    kinds.append(change.charAt(0));
    if (change.charAt(0) == 'I') {
      Matcher found = MESSAGE_ID.matcher(change);
      if (!found.find()) {
        throw new AssertionError("an insert without a message id");
      }
      messageIds.add(found.group());
    }
  }

  /** Of the inserts, in the order in which they came. */
  List<String> messageIds() {
    return List.copyOf(messageIds);
  }

  /** The first letters of all that came: B begin, R relation, I insert, C commit, T truncate. */
  String kinds() {
    return kinds.toString();
  }

  /** To be past everything that was committed before. */
  void confirmTheLogsEnd() {
    pg.execute("select pg_logical_emit_message(true, 'test', 'on')");
    readAll();
  }
}
