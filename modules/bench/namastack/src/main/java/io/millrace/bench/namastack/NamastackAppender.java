package io.millrace.bench.namastack;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.BenchMessage;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** One scheduled payload a message, with the aggregate for its key. */
final class NamastackAppender implements Appender {
  private final OutboxApplication application;
  private final Connection connection;

  NamastackAppender(OutboxApplication application, Connection connection) {
    this.application = application;
    this.connection = connection;
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public void append(List<BenchMessage> messages) {
    application.during(connection, () -> messages.forEach(this::schedule));
  }

  private void schedule(BenchMessage message) {
    String text = new String(message.payload(), StandardCharsets.UTF_8);
    application
        .outbox()
        .schedule(new AccountChanged(UUID.randomUUID().toString(), text), message.aggregateId());
  }

  @Override
  public void committed() {
    // The library polls.
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
