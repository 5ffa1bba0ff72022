package io.millrace.bench.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Adds messages to a business transaction, as the peer's documentation says. For one thread. */
public interface Appender extends AutoCloseable {

  /** The business transaction's connection, not in auto-commit mode. */
  Connection connection();

  /** In the open transaction of {@link #connection}. */
  void append(List<BenchMessage> messages) throws Exception;

  /** Called after each commit. */
  void committed();

  @Override
  void close() throws SQLException;
}
