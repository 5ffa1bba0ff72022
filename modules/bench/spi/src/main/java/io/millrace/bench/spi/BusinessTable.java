package io.millrace.bench.spi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** The business change of every transaction: an account's balance, whose row is locked by it. */
final class BusinessTable {
  private static final String CHANGE =
      "update account set balance = balance + 1, revision = revision + 1 where id = ?";

  private BusinessTable() {}

  static void lay(SubjectSettings settings) throws SQLException {
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      // Room on each page, so that a change need not move the row.
      statement.execute(
          "create table account (id int primary key, balance bigint not null, revision bigint not null)"
              + " with (fillfactor = 50)");
      statement.execute(
          "insert into account select g, 0, 0 from generate_series(0, %d) g"
              .formatted(Payloads.AGGREGATES - 1));
    }
  }

  static PreparedStatement prepareChange(Connection connection) throws SQLException {
    return connection.prepareStatement(CHANGE);
  }
}
