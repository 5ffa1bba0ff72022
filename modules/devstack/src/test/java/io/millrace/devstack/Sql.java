package io.millrace.devstack;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One statement on a connection of its own. */
final class Sql {
  private Sql() {}

  static Connection connect(PostgresServer server, String database) throws SQLException {
    return DriverManager.getConnection(
        server.jdbcUrl(database) + "?socketTimeout=2&connectTimeout=2", server.user(), "");
  }

  /** For what takes a while on a busy machine. */
  static void executePatiently(PostgresServer server, String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                server.jdbcUrl("postgres") + "?socketTimeout=60", server.user(), "");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static void execute(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = connect(server, "postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static String value(PostgresServer server, String database, String sql) throws SQLException {
    try (Connection connection = connect(server, database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
