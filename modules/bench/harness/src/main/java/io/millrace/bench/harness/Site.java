package io.millrace.bench.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A database and a topic, empty at first, for one measurement. */
record Site(Servers servers, String database, String topic) implements AutoCloseable {

  Map<String, String> arguments() {
    return Map.of(
        "host",
        servers.postgres().host(),
        "port",
        String.valueOf(servers.postgres().port()),
        "database",
        database,
        "user",
        servers.postgres().user(),
        "bootstrap",
        servers.kafka().bootstrapServers(),
        "topic",
        topic);
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/%s?user=%s"
            .formatted(
                servers.postgres().host(),
                servers.postgres().port(),
                database,
                servers.postgres().user()));
  }

  void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new BenchException("cannot execute " + sql, e);
    }
  }

  /** The number in the only row. */
  long number(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new BenchException("cannot execute " + sql, e);
    }
  }

  /** So that no measurement pays for what an earlier one or a fill has left to be written. */
  void settle() {
    execute("vacuum analyze");
    execute("checkpoint");
  }

  @Override
  public void close() {
    servers.remove(this);
  }
}
