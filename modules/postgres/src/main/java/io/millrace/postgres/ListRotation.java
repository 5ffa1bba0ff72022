package io.millrace.postgres;

import io.millrace.core.lease.Claim;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.function.Function;

/**
 * Rotates three lists of rows that are only appended: the current one is closed when it is old
 * enough, and before it the oldest one is emptied, when what still counts in it has been carried
 * forward. So a row is kept for at least the age given.
 */
final class ListRotation {
  private static final int PARTS = 3;

  private final PgDatabase database;
  private final int lockTimeoutMs;
  private final long ageMaxMs;
  private final Lists lists;

  /**
   * Which lists.
   *
   * @param read one row a list: part, is_empty, is_current, age_ms
   * @param carry carries what still counts in closed lists forward; what is busy stays behind
   * @param truncate empties a list in which nothing counts any more: is_done
   * @param turn lets new rows go to the next list
   */
  record Lists(
      Statement read, Function<Claim, Future<Void>> carry, Statement truncate, Statement turn) {}

  ListRotation(PgDatabase database, int lockTimeoutMs, long ageMaxMs, Lists lists) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
    this.ageMaxMs = ageMaxMs;
    this.lists = lists;
  }

  Future<Void> rotate(Claim claim) {
    return database.run(lists.read(), Tuple.tuple()).compose(parts -> rotateIfDue(claim, parts));
  }

  private Future<Void> rotateIfDue(Claim claim, RowSet<Row> parts) {
    int current = 0;
    long ageMs = 0;
    boolean[] isEmpty = new boolean[PARTS];
    for (Row part : parts) {
      isEmpty[part.getInteger("part")] = part.getBoolean("is_empty");
      if (part.getBoolean("is_current")) {
        current = part.getInteger("part");
        ageMs = part.getLong("age_ms");
      }
    }
    if (ageMs < ageMaxMs) {
      return Future.succeededFuture();
    }
    int next = (current + 1) % PARTS;
    Future<Boolean> emptied =
        isEmpty[next]
            ? Future.succeededFuture(true)
            : lists.carry().apply(claim).compose(done -> empty(claim, next));
    return emptied.compose(done -> done ? turn(claim) : Future.succeededFuture());
  }

  private Future<Boolean> empty(Claim claim, int part) {
    return database.runForOne(
        lists.truncate(),
        Tuple.of(claim.token(), lockTimeoutMs, part),
        row -> row.getBoolean("is_done"));
  }

  private Future<Void> turn(Claim claim) {
    return database.run(lists.turn(), Tuple.of(claim.token(), lockTimeoutMs)).mapEmpty();
  }
}
