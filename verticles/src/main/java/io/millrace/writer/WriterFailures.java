package io.millrace.writer;

import io.millrace.client.CommandFailure;
import io.millrace.client.CommandFailure.Kind;
import io.millrace.client.CommandRequest;
import io.vertx.core.VertxException;
import io.vertx.sqlclient.DatabaseException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/**
 * The one place where what went wrong with a command becomes what its caller is told: by SQLSTATE
 * (PostgreSQL, appendix A), or by exception class where there is none.
 */
final class WriterFailures {
  private static final String INVALID_PARAMETER_VALUE = "22023";
  private static final String UNIQUE_VIOLATION = "23505";

  /** Connection, resources, the operator (a cancelled statement too), the system. */
  private static final Set<String> REPEATABLE_CLASSES = Set.of("08", "53", "57", "58");

  private static final Set<String> REPEATABLE_STATES =
      Set.of(
          "40001", // serialization_failure
          "40003", // statement_completion_unknown
          "40P01", // deadlock_detected
          "55P03", // lock_not_available
          "25006", // read_only_sql_transaction: a demoted primary
          "25P03", // idle_in_transaction_session_timeout
          "0A000", // "cached plan must not change result type", once after a migration
          "26000", // a pooler gave a session that does not know the prepared statement
          "55000", // unlogged tables and sequences during recovery
          "XX000" // internal, such as a relation dropped while being opened
          );

  private WriterFailures() {}

  static boolean isUniqueViolation(Throwable cause) {
    return cause instanceof DatabaseException e && UNIQUE_VIOLATION.equals(e.getSqlState());
  }

  /** Of the statement that looks for an earlier answer: its refusals are about the request. */
  static CommandFailure ofLookup(CommandRequest request, Throwable cause) {
    if (isUniqueViolation(cause)) {
      return failure(Kind.ID_REUSED, request, cause);
    }
    if (cause instanceof DatabaseException e && INVALID_PARAMETER_VALUE.equals(e.getSqlState())) {
      return failure(Kind.INVALID, request, cause);
    }
    return of(request, cause);
  }

  /** Of anything else. */
  static CommandFailure of(CommandRequest request, Throwable cause) {
    if (cause instanceof CommandFailure known) {
      return known;
    }
    return failure(isRepeatable(cause) ? Kind.UNAVAILABLE : Kind.FAILED, request, cause);
  }

  /** Of a run that was not done within its limit. */
  static CommandFailure overdue(CommandRequest request, long limitMs) {
    return failure(
        Kind.UNAVAILABLE, request, new TimeoutException("not done within " + limitMs + " ms"));
  }

  private static CommandFailure failure(Kind kind, CommandRequest request, Throwable cause) {
    String advice =
        kind == Kind.UNAVAILABLE ? "; the outcome is unknown: repeat with the same command_id" : "";
    String what = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return new CommandFailure(
        kind,
        "command "
            + request.name()
            + " of command_id "
            + request.commandId()
            + ": "
            + what
            + advice,
        cause);
  }

  private static boolean isRepeatable(Throwable cause) {
    if (cause instanceof DatabaseException e && e.getSqlState() != null) {
      String state = e.getSqlState();
      return REPEATABLE_STATES.contains(state)
          || REPEATABLE_CLASSES.contains(state.substring(0, 2));
    }
    // No answer: the statement may have been executed, or the connection was never made.
    return cause instanceof TimeoutException
        || cause instanceof IOException
        || cause instanceof VertxException;
  }
}
