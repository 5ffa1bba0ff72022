package io.millrace.devstack;

/**
 * A server that tests can hurt. It keeps its ports and its data over {@link #kill} and {@link
 * #restart}.
 *
 * <p>All calls block, may come from any thread but an event loop, and throw {@link
 * DevStackException} when the server does not do what was asked within the limit of its kind.
 */
public sealed interface DevServer extends AutoCloseable
    permits PostgresServer, KafkaServer, PgBouncerServer {

  /**
   * The process id of the server, or of the last one when it does not run. For PostgreSQL this is
   * the postmaster.
   */
  long pid();

  boolean isRunning();

  /** SIGKILL to the server and all its children; returns when all of them are gone. */
  void kill();

  /** Asks the server to shut down in order, and kills it if it does not within its limit. */
  void stop();

  /** Starts again on the same data and ports after {@link #kill} or {@link #stop}. */
  void restart();

  /** SIGSTOP to the server and all its children: connections stay open and nothing answers. */
  void pause();

  /** SIGCONT to the server and all its children. */
  void resume();

  /**
   * Ends the server, in whatever state it is, and deletes its directory if that was a temporary
   * one.
   */
  @Override
  void close();
}
