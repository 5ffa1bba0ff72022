package io.millrace.bench.spi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** One insert by JDBC, or a batch of them in one round trip. */
public final class SqlAppender implements Appender {
  private final Connection connection;
  private final PreparedStatement insert;

  /**
   * Prepares it.
   *
   * @param connection which it closes
   * @param insert with parameters: aggregate type, aggregate id, event type, payload
   */
  public SqlAppender(Connection connection, String insert) throws SQLException {
    this.connection = connection;
    this.insert = connection.prepareStatement(insert);
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public void append(List<BenchMessage> messages) throws SQLException {
    for (BenchMessage message : messages) {
      insert.setString(1, "account");
      insert.setString(2, message.aggregateId());
      insert.setString(3, "account_changed");
      insert.setBytes(4, message.payload());
      if (messages.size() > 1) {
        insert.addBatch();
      }
    }
    if (messages.size() > 1) {
      insert.executeBatch();
    } else {
      insert.executeUpdate();
    }
  }

  @Override
  public void committed() {
    // Whoever publishes finds it.
  }

  @Override
  public void close() throws SQLException {
    insert.close();
    connection.close();
  }
}
