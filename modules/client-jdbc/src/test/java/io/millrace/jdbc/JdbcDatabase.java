package io.millrace.jdbc;

import io.millrace.devstack.PgBouncerServer;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.postgres.SchemaMigration;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL with the schema laid, an application's table, and two logins with one role of
 * Millrace each: {@link #SHOP} may append, {@link #BOOKS} may apply.
 */
final class JdbcDatabase implements AutoCloseable {
  static final int PAYLOAD_BYTES_MAX = 100_000;
  static final String SHOP = "shop";
  static final String BOOKS = "books";
  static final long DAY_MS = 86_400_000;

  /** Days of which ids are kept when the schema is laid. */
  static final int KEPT_DAYS = 3;

  private static final String NAME = "shop_data";

  private final PostgresServer server;

  private JdbcDatabase(PostgresServer server) {
    this.server = server;
  }

  static JdbcDatabase start() {
    Map<String, String> settings = Map.of("fsync", "off", "full_page_writes", "off");
    PostgresServer server =
        PostgresServer.start(PostgresSpec.fromSystemProperty().withSettings(settings));
    server.createDatabase(NAME);
    new SchemaMigration(
            new SchemaMigration.Login(
                server.host(), server.port(), NAME, server.user(), "", "disable"),
            new SchemaMigration.Layout(
                32, PAYLOAD_BYTES_MAX, 3, DAY_MS, KEPT_DAYS * DAY_MS, KEPT_DAYS))
        .migrate();
    JdbcDatabase database = new JdbcDatabase(server);
    database.execute(
        "create table public.orders (id text primary key, state text not null)",
        "create table public.booking (message_id uuid not null)",
        "create role shop login in role millrace_writer",
        "create role books login in role millrace_inbox",
        "grant select, insert, update on public.orders to shop",
        "grant select, insert on public.booking to books");
    return database;
  }

  /** In auto-commit mode, as drivers hand them out. */
  Connection connect(String user) throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl(NAME) + "?socketTimeout=60", user, "");
  }

  /** The same through a pooler, by an URL of its own. */
  Connection connect(PgBouncerServer pooler, String user, String parameters) throws SQLException {
    return DriverManager.getConnection(
        pooler.jdbcUrl(NAME) + "?socketTimeout=60" + parameters, user, "");
  }

  PostgresServer server() {
    return server;
  }

  /** With a transaction to begin. */
  Connection begin(String user) throws SQLException {
    Connection connection = connect(user);
    connection.setAutoCommit(false);
    return connection;
  }

  /** As the superuser. */
  void execute(String... statements) {
    try (Connection connection = connect(server.user())) {
      for (String sql : statements) {
        execute(connection, sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  long count(String table) throws SQLException {
    return Long.parseLong(rows("select count(*) from " + table).get(0).get(0));
  }

  /** Every column as text, as the superuser. */
  List<List<String>> rows(String sql) throws SQLException {
    try (Connection connection = connect(server.user())) {
      return rows(connection, sql);
    }
  }

  static List<List<String>> rows(Connection connection, String sql) throws SQLException {
    List<List<String>> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(rows.getString(i));
        }
        found.add(row);
      }
    }
    return found;
  }

  void empty() {
    execute("truncate millrace.outbox, millrace.revision, millrace.inbox, orders, booking");
  }

  @Override
  public void close() {
    server.close();
  }
}
