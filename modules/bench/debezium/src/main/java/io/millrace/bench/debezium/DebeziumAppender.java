package io.millrace.bench.debezium;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.BenchMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** One insert, or a batch of them in one round trip. */
final class DebeziumAppender implements Appender {
  private final Connection connection;
  private final PreparedStatement insert;

  DebeziumAppender(Connection connection) throws SQLException {
    this.connection = connection;
    this.insert =
        connection.prepareStatement(
            "insert into outbox (aggregatetype, aggregateid, type, payload) values (?, ?, ?, ?)");
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
    // The engine reads the log.
  }

  @Override
  public void close() throws SQLException {
    insert.close();
    connection.close();
  }
}
