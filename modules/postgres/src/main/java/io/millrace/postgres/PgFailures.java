package io.millrace.postgres;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/**
 * The one place where what PostgreSQL or its client reports becomes a kind of failure: by SQLSTATE
 * (PostgreSQL, appendix A), or by exception class where there is none.
 */
public final class PgFailures {
  /** Classes whose whole meaning is "not now": connection, resources, the operator, the system. */
  private static final Set<String> TRANSIENT_CLASSES = Set.of("08", "53", "57", "58");

  private static final Set<String> TRANSIENT_STATES =
      Set.of(
          "40001", // serialization_failure
          "40P01", // deadlock_detected
          "55P03", // lock_not_available
          "25006", // read_only_sql_transaction: a demoted primary
          "25P03", // idle_in_transaction_session_timeout
          "0A000", // "cached plan must not change result type", once after a migration
          "26000", // a pooler gave a session that does not know the prepared statement
          "55000", // unlogged tables and sequences during recovery
          "XX000" // internal, such as a relation dropped while being opened
          );

  private static final Set<String> UNKNOWN_OUTCOME_STATES =
      Set.of(
          "40003", // statement_completion_unknown
          "57P01", // admin_shutdown, possibly after the commit
          "57P02"); // crash_shutdown

  /** What hits every message alike: missing objects and privileges, logins, catalogs, config. */
  private static final Set<String> INSTALLATION_CLASSES = Set.of("28", "3D", "3F", "42", "F0");

  private PgFailures() {}

  /** Wraps a failure of a statement. */
  static Failure of(Statement statement, Throwable cause) {
    return new Failure(
        kindOf(cause),
        statement.name().toLowerCase(java.util.Locale.ROOT) + ": " + cause.getMessage(),
        cause);
  }

  /** The kind of a failure of the client or the server. */
  public static FailureKind kindOf(Throwable cause) {
    if (cause instanceof Failure known) {
      return known.kind();
    }
    if (cause instanceof PgException e && e.getSqlState() != null) {
      return kindOfState(e.getSqlState());
    }
    // No answer: the statement may have been executed, or the connection was never made. The one
    // who wrote looks.
    if (cause instanceof TimeoutException
        || cause instanceof IOException
        || cause instanceof VertxException) {
      return FailureKind.UNKNOWN_OUTCOME;
    }
    return FailureKind.BROKEN;
  }

  /**
   * The kind of a failure of what a handler did for a message, before its transaction was
   * committed. What the server says of the installation (a missing table, privilege or database) is
   * BROKEN, and so is an exception of the handler's own. Any other word of the server that is not
   * transient is about the message: its data, a constraint, what a function raises.
   */
  public static FailureKind kindInHandler(Throwable cause) {
    if (cause instanceof PgException e && e.getSqlState() != null) {
      FailureKind kind = kindOfState(e.getSqlState());
      boolean isInstallation = INSTALLATION_CLASSES.contains(e.getSqlState().substring(0, 2));
      return kind == FailureKind.BROKEN && !isInstallation ? FailureKind.MESSAGE : kind;
    }
    if (cause instanceof Failure known) {
      return known.kind();
    }
    // Parsers fail with an IOException as well: only those of the network are nobody's fault.
    return isOfTheNetwork(cause) ? FailureKind.UNKNOWN_OUTCOME : FailureKind.BROKEN;
  }

  private static boolean isOfTheNetwork(Throwable cause) {
    return cause instanceof SocketException
        || cause instanceof UnknownHostException
        || cause instanceof ClosedChannelException
        || cause instanceof TimeoutException
        || cause instanceof ClosedConnectionException
        || cause instanceof HttpClosedException
        || cause.getClass() == IOException.class
        // Those of TLS, and native transports have some of their own.
        || cause.getClass().getName().startsWith("javax.net.ssl.")
        || cause.getClass().getName().startsWith("io.netty.channel.");
  }

  private static FailureKind kindOfState(String state) {
    if (UNKNOWN_OUTCOME_STATES.contains(state)) {
      return FailureKind.UNKNOWN_OUTCOME;
    }
    boolean isTransient =
        TRANSIENT_STATES.contains(state) || TRANSIENT_CLASSES.contains(state.substring(0, 2));
    return isTransient ? FailureKind.TRANSIENT : FailureKind.BROKEN;
  }
}
