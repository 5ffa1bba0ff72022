package io.millrace.bench.spi;

import java.sql.SQLException;
import java.util.Optional;

/** An outbox that is measured. Called by one thread, but for the appenders. */
public interface Peer extends AutoCloseable {

  /** What a reader has to know to judge the figures: versions, statements, settings. One line. */
  String description();

  /** Lays its tables in an empty database. */
  void laySchema() throws Exception;

  /** Commits a backlog as fast as it can, the relay being stopped. */
  void fill(Backlog backlog) throws Exception;

  /** For one thread, which closes it. */
  Appender appender() throws Exception;

  /**
   * A statement that changes an account and appends the message that announces it, if the peer has
   * such a form; parameters: account (int), aggregate id, payload.
   */
  Optional<String> oneStatement();

  /** Returns when the relay works. */
  void startRelay() throws Exception;

  /**
   * Whether the work is divided among the relays of so many processes: each has its share, or one
   * has all of it and the others stand by. Asked while they run.
   */
  boolean isDivided(int relays) throws Exception;

  /** Returns when what was in flight is settled. */
  void stopRelay() throws Exception;

  @Override
  void close() throws SQLException;
}
