package io.millrace.bench.spi;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;

/**
 * Where a subject works, and how.
 *
 * @param options the subject's own, by name
 */
public record SubjectSettings(
    String host,
    int port,
    String database,
    String user,
    String bootstrapServers,
    String topic,
    Map<String, String> options) {

  public SubjectSettings {
    options = Map.copyOf(options);
  }

  static SubjectSettings of(Map<String, String> values) {
    return new SubjectSettings(
        text(values, "host"),
        Integer.parseInt(text(values, "port")),
        text(values, "database"),
        text(values, "user"),
        text(values, "bootstrap"),
        text(values, "topic"),
        values);
  }

  /**
   * The option's value.
   *
   * @throws IllegalArgumentException when the option is not set
   */
  public String text(String name) {
    return text(options, name);
  }

  /**
   * The option's value.
   *
   * @throws IllegalArgumentException when the option is not set, or is no number
   */
  public int number(String name) {
    return Integer.parseInt(text(name));
  }

  public String jdbcUrl() {
    return "jdbc:postgresql://" + host + ":" + port + "/" + database;
  }

  /** A new connection in auto-commit mode. */
  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.put("user", user);
    // Server-side prepared from the first use on: what a pool's connections come to soon.
    properties.put("prepareThreshold", "1");
    return DriverManager.getConnection(jdbcUrl(), properties);
  }

  /** Whether the query's only value is true, by a connection of its own. */
  public boolean isTrue(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getBoolean(1);
    }
  }

  /**
   * The value.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static String text(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no value for " + name + ", found " + values.keySet());
    }
    return value;
  }
}
