package io.millrace.postgres;

import io.millrace.core.lease.NodeCount;
import io.millrace.port.Origin;
import io.millrace.port.Rebased;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a database comes from, and what an operator does when it comes from elsewhere. */
public final class PgOrigin {
  /** SQLSTATE object_not_in_prerequisite_state: the reason is for the operator. */
  private static final String REFUSED = "55000";

  private final PgDatabase database;

  public PgOrigin(PgDatabase database) {
    this.database = database;
  }

  /** What a node must know of it before it starts. */
  public Future<Origin> origin() {
    return database.runForOne(Statement.READ_ORIGIN, Tuple.tuple(), PgOrigin::toOrigin);
  }

  private static Origin toOrigin(Row row) {
    return new Origin(
        List.of(row.getArrayOfStrings("traces")), row.getLong("known"), row.getLong("actual"));
  }

  /**
   * Accepts this server as the known one in another body, as after pg_upgrade.
   *
   * @return false: it is the known one; fails with an {@link IllegalStateException} when it has not
   *     taken over the counter
   */
  public Future<Boolean> confirm(String actor, @Nullable String reason) {
    return database
        .runForOne(
            Statement.CONFIRM_SERVER, Tuple.of(actor, reason), row -> row.getBoolean("is_changed"))
        .recover(PgOrigin::plainly);
  }

  /**
   * Makes a restored database one that can be relayed from, in one transaction.
   *
   * @param dead the registered nodes as they were at least a lease ago
   * @param lockWaitMs the longest wait for each lock, in milliseconds
   * @return fails with an {@link IllegalStateException} when a node is alive or there is nothing to
   *     rebase
   */
  public Future<Rebased> rebase(
      String actor, @Nullable String reason, List<NodeCount> dead, int lockWaitMs) {
    JsonArray nodes = new JsonArray();
    dead.forEach(
        n ->
            nodes.add(
                new JsonObject().put("node", n.node().toString()).put("counter", n.counter())));
    Tuple values = Tuple.of(actor, reason, nodes.encode(), lockWaitMs);
    return database
        .runForOne(Statement.REBASE, values, PgOrigin::toRebased)
        .recover(PgOrigin::plainly);
  }

  private static Rebased toRebased(Row row) {
    return new Rebased(
        row.getLong("appended"),
        row.getLong("dropped"),
        row.getLong("lanes"),
        row.getLong("nodes"),
        row.getLong("head"));
  }

  private static <T> Future<T> plainly(Throwable cause) {
    if (cause.getCause() instanceof PgException e && REFUSED.equals(e.getSqlState())) {
      String hint = e.getHint() == null ? "" : ". " + e.getHint();
      return Future.failedFuture(new IllegalStateException(e.getErrorMessage() + hint, cause));
    }
    return Future.failedFuture(cause);
  }
}
