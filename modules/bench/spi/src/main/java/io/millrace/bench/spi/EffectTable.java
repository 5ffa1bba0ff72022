package io.millrace.bench.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The effect of every message that a consumer applies: a row. */
public final class EffectTable {
  /** With parameters for the aggregate id and the payload's length, in the form of JDBC. */
  public static final String INSERT = "insert into effect (aggregate_id, bytes) values (?, ?)";

  private EffectTable() {}

  /** Lays it in a database without one. */
  public static void lay(SubjectSettings settings) throws SQLException {
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table effect (id bigint generated always as identity primary key,"
              + " aggregate_id text not null, bytes int not null)");
    }
  }
}
