package io.millrace.example.payment.check;

import io.millrace.example.payment.BankTables;
import io.millrace.example.payment.PaymentsNode;
import io.millrace.example.payment.SqlFile;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The bank's database as the check sees it: how far it is, and whether it is right. Blocking. */
final class Bank implements AutoCloseable {
  private static final String POSITIONS = SqlFile.read(Bank.class, "positions.sql");
  private static final String AUDIT = SqlFile.read(Bank.class, "audit.sql");
  private static final String EXPECTED = SqlFile.read(Bank.class, "expected.sql");

  private final Connection connection;

  /**
   * @param url with the user in it
   */
  Bank(String url) throws SQLException {
    this.connection = DriverManager.getConnection(url);
  }

  void createTables() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(BankTables.sql());
    }
  }

  /** Payments booked. */
  long booked() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from bank.journal")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Where the consumer stands in each topic partition that it has begun. */
  Map<Integer, Long> positions() throws SQLException {
    Map<Integer, Long> positions = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(POSITIONS)) {
      statement.setString(1, PaymentsNode.CONSUMER);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          positions.put(rows.getInt("topic_partition"), rows.getLong("position"));
        }
      }
    }
    return positions;
  }

  /**
   * Compares everything with the producer's books.
   *
   * @param balances cents by account
   * @return what is wrong
   */
  List<String> audit(long[] balances, long events) throws SQLException {
    expect(balances);
    List<String> problems = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(AUDIT)) {
      statement.setLong(1, events);
      statement.setString(2, PaymentsNode.CONSUMER);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          problems.add(rows.getString("problem"));
        }
      }
    }
    return problems;
  }

  private void expect(long[] balances) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(EXPECTED);
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into expected_balance (account, balance_cents) values (?, ?)")) {
      for (int account = 0; account < balances.length; account++) {
        if (balances[account] > 0) {
          insert.setInt(1, account);
          insert.setLong(2, balances[account]);
          insert.addBatch();
        }
      }
      insert.executeBatch();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
