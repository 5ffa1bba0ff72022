package io.millrace.bench.gruelbox;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.BenchMessage;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** One scheduled invocation a message. */
final class GruelboxAppender implements Appender {
  private final OutboxRun run;
  private final WriterTransaction transaction;

  GruelboxAppender(OutboxRun run, Connection connection) {
    this.run = run;
    this.transaction = new WriterTransaction(connection);
  }

  @Override
  public Connection connection() {
    return transaction.connection();
  }

  @Override
  public void append(List<BenchMessage> messages) throws SQLException {
    transaction.begin();
    run.schedule(transaction, announcer -> announce(announcer, messages));
    transaction.flush();
  }

  private static void announce(Announcer announcer, List<BenchMessage> messages) throws Exception {
    for (BenchMessage message : messages) {
      announcer.announce(
          UUID.randomUUID().toString(),
          message.aggregateId(),
          new String(message.payload(), StandardCharsets.UTF_8));
    }
  }

  @Override
  public void committed() {
    transaction.committed();
  }

  @Override
  public void close() throws SQLException {
    transaction.close();
    transaction.connection().close();
  }
}
