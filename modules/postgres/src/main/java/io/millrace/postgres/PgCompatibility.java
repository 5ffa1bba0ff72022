package io.millrace.postgres;

import io.millrace.port.Compatibility;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;
import java.util.Set;

/** Which nodes may run on a schema. */
public final class PgCompatibility {
  /** SQLSTATE undefined_function and undefined_table: laid before there was an answer. */
  private static final Set<String> UNKNOWN = Set.of("42883", "42P01");

  private final PgDatabase database;

  public PgCompatibility(PgDatabase database) {
    this.database = database;
  }

  /** What the schema says; empty when it is older than the question. */
  public Future<Optional<Compatibility>> read() {
    return database
        .runForOne(
            Statement.READ_COMPATIBILITY,
            Tuple.tuple(),
            row ->
                Optional.of(
                    new Compatibility(
                        row.getInteger("schema_version"), row.getInteger("compatible_from"))))
        .recover(
            cause ->
                isUnknown(cause)
                    ? Future.succeededFuture(Optional.empty())
                    : Future.failedFuture(cause));
  }

  private static boolean isUnknown(Throwable cause) {
    return cause.getCause() instanceof PgException e && UNKNOWN.contains(e.getSqlState());
  }
}
