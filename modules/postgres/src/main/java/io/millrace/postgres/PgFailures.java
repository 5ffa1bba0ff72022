package io.millrace.postgres;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import java.io.IOException;
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

  /** Data exceptions, and violations of constraints. */
  private static final Set<String> DATA_CLASSES = Set.of("22", "23");

  private static final String RAISE_EXCEPTION = "P0001";

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
   * The kind of a failure of a statement that a handler ran for a message. What the data is to
   * blame for (SQLSTATE classes 22 and 23, and what a function raises without a code of its own) is
   * the message's; a missing table or privilege stays an error of the installation.
   */
  public static FailureKind kindInHandler(Throwable cause) {
    if (cause instanceof PgException e && e.getSqlState() != null) {
      String state = e.getSqlState();
      if (DATA_CLASSES.contains(state.substring(0, 2)) || state.equals(RAISE_EXCEPTION)) {
        return FailureKind.MESSAGE;
      }
    }
    return kindOf(cause);
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
