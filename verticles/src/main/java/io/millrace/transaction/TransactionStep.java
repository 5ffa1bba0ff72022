package io.millrace.transaction;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;

/**
 * Begin and end of a transaction. {@link io.vertx.sqlclient.Transaction} would not do: after the
 * first SQL error it rolls back, whatever a savepoint saved, and what is to be said to the server
 * next cannot be sent along.
 */
public enum TransactionStep {
  BEGIN,
  COMMIT,
  ROLLBACK,
  /** For foreign code that was given up and may still use the connection. */
  END_SESSION;

  private final String text = SqlText.of(this);

  /** Sends it on its way, behind what was sent before. */
  public Future<RowSet<Row>> send(SqlConnection connection) {
    return connection.query(text).execute();
  }
}
