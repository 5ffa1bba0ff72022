package io.millrace.spatial;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.pgclient.PgException;
import java.util.Set;

/**
 * What a failed read of features means: the one place where it is decided, by SQLSTATE (PostgreSQL,
 * appendix A).
 */
enum ReadFailure {
  /** The server is away or busy: ask again. */
  BUSY,
  /** It took too long, for what there was to read or for what was in the way. */
  TOO_MUCH,
  /** Nothing of the layer can be read: no such layer, table, column or privilege. */
  LAYER,
  /** One of the features cannot be read. */
  DATA;

  private static final String QUERY_CANCELED = "57014";

  /** Connection, transaction, resources, locks and prerequisites, the operator, the system. */
  private static final Set<String> BUSY_CLASSES = Set.of("08", "25", "40", "53", "55", "57", "58");

  /** Of a pooler that gave a session which does not know the prepared statement. */
  private static final String UNKNOWN_STATEMENT = "26000";

  private static final Set<String> LAYER_CLASSES = Set.of("28", "3D", "3F", "42", "F0");

  static ReadFailure of(Throwable cause) {
    if (!(cause instanceof PgException e) || e.getSqlState() == null) {
      return BUSY;
    }
    String state = e.getSqlState();
    String kind = state.substring(0, 2);
    if (state.equals(QUERY_CANCELED)) {
      return TOO_MUCH;
    }
    if (BUSY_CLASSES.contains(kind) || state.equals(UNKNOWN_STATEMENT)) {
      return BUSY;
    }
    return LAYER_CLASSES.contains(kind) ? LAYER : DATA;
  }

  /** For people, with the SQLSTATE. */
  static String text(Throwable cause) {
    return cause instanceof PgException e
        ? e.getErrorMessage() + " (" + e.getSqlState() + ")"
        : String.valueOf(cause.getMessage());
  }

  static Failure wait(Throwable cause) {
    return new Failure(FailureKind.TRANSIENT, "features cannot be read now: " + text(cause), cause);
  }
}
