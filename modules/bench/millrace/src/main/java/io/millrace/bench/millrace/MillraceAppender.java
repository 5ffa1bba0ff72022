package io.millrace.bench.millrace;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.BenchMessage;
import io.millrace.client.Nudge;
import io.millrace.core.message.Appended;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.jdbc.JdbcOutbox;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** By the JDBC client; with a Vertx the relay in this process is told after the commit. */
final class MillraceAppender implements Appender {
  private final Connection connection;
  private final String topic;
  private final JdbcOutbox outbox;
  private final @Nullable Vertx nudged;
  private List<Appended> appended = List.of();

  MillraceAppender(
      Connection connection, String topic, MessageRules rules, @Nullable Vertx nudged) {
    this.connection = connection;
    this.topic = topic;
    this.outbox = new JdbcOutbox(rules);
    this.nudged = nudged;
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public void append(List<BenchMessage> messages) throws SQLException {
    List<NewMessage> all = new ArrayList<>(messages.size());
    for (BenchMessage message : messages) {
      all.add(
          NewMessage.of(
              topic,
              "account",
              message.aggregateId(),
              "account_changed",
              Payload.of(message.payload())));
    }
    appended = outbox.append(connection, all);
  }

  @Override
  public void committed() {
    Vertx told = nudged;
    if (told != null) {
      Nudge.of(appended).publish(told);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
