package io.millrace.postgres;

import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;

/**
 * The session in which a statement is executed, as far as it can be told from outside.
 *
 * <p>PostgreSQL greets a client with the id of the process that will serve it (protocol message
 * BackendKeyData), and the process knows its own. A pooler greets with a number of its own, since a
 * client has no process: the two differ.
 *
 * @param isPooled whether something stands between that answers for the server
 * @param statementTimeoutMs the session's own limit of a statement, in milliseconds; 0: none
 */
public record PgSession(boolean isPooled, long statementTimeoutMs) {
  /** SQLSTATE protocol_violation: how PgBouncer refuses settings that it cannot keep. */
  private static final String PROTOCOL_VIOLATION = "08P01";

  /** Looks at one connection. */
  public static Future<PgSession> read(PgDatabase database) {
    return database.withConnection(Statement.READ_SESSION, PgSession::read);
  }

  private static Future<PgSession> read(SqlConnection connection) {
    int greetedAs = PgConnection.cast(connection).processId();
    return connection
        .query(Statement.READ_SESSION.text())
        .execute()
        .map(rows -> rows.iterator().next())
        .map(row -> of(greetedAs, row));
  }

  private static PgSession of(int greetedAs, Row row) {
    return new PgSession(
        greetedAs != row.getInteger("process_id"), row.getLong("statement_timeout_ms"));
  }

  /** Whether the failure is that what answers takes no settings of a session's. */
  public static boolean isRefusedGreeting(Throwable failure) {
    return failure.getCause() instanceof PgException refused
        && PROTOCOL_VIOLATION.equals(refused.getSqlState());
  }
}
