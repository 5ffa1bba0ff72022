package io.millrace.inbox;

import io.millrace.client.MessageRefused;
import io.millrace.client.RetryLater;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.inbox.ParkReason;
import io.millrace.transaction.Overdue;
import io.vertx.sqlclient.DatabaseException;
import java.util.Set;
import java.util.function.Function;

/**
 * Who is to blame for a transaction that was undone. Only what is a message's own fault, or its
 * handler's, counts as an attempt; an outage or an installation that is broken parks nothing,
 * however long it lasts.
 */
final class Blame {
  /** Raised by millrace.inbox_advance. */
  private static final String MOVED = "MR001";

  /** The handler swallowed a statement's failure and went on. */
  private static final String IN_FAILED_TRANSACTION = "25P02";

  private static final String COMPLETION_UNKNOWN = "40003";

  private static final Set<String> COLLISIONS =
      Set.of(
          "40001", // serialization_failure
          "40P01", // deadlock_detected
          "55P03"); // lock_not_available

  private final Function<Throwable, FailureKind> failures;

  Blame(Function<Throwable, FailureKind> failures) {
    this.failures = failures;
  }

  /** Whether the server has answered with an error that undid the transaction. */
  static boolean isRefusal(Throwable cause) {
    String state = cause instanceof DatabaseException e ? e.getSqlState() : null;
    return state != null
        && !state.startsWith("08")
        && !state.startsWith("57")
        && !state.equals(COMPLETION_UNKNOWN);
  }

  /** Of a failure after which the transaction is certainly undone. */
  Outcome of(Throwable cause) {
    String state = cause instanceof DatabaseException e ? String.valueOf(e.getSqlState()) : "";
    if (cause instanceof MessageRefused) {
      return new Outcome.Blamed(cause, ParkReason.REFUSED);
    }
    if (cause instanceof Overdue) {
      return new Outcome.Blamed(cause, ParkReason.OVERDUE);
    }
    if (cause instanceof RetryLater) {
      return new Outcome.Retry(cause, false);
    }
    if (state.equals(MOVED)) {
      return new Outcome.Moved(String.valueOf(cause.getMessage()));
    }
    if (state.equals(IN_FAILED_TRANSACTION)) {
      return new Outcome.Blamed(cause, ParkReason.FAILED);
    }
    return switch (failures.apply(cause)) {
      case TRANSIENT, UNKNOWN_OUTCOME, TOPIC ->
          new Outcome.Retry(cause, COLLISIONS.contains(state));
      case MESSAGE -> new Outcome.Blamed(cause, ParkReason.FAILED);
      // A missing table or privilege hits every message alike; an exception of the handler's own
      // is about this one.
      case BROKEN ->
          cause instanceof DatabaseException
              ? new Outcome.Retry(cause, false)
              : new Outcome.Blamed(cause, ParkReason.FAILED);
    };
  }
}
