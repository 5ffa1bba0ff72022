package io.millrace.postgres;

import io.millrace.core.lease.Claim;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

/**
 * Rotates the three lists of receipts: the current one is closed when it is old enough, and before
 * it the oldest one is emptied. So a receipt is kept for at least the age given.
 */
final class ReceiptRotation {
  private static final int PARTS = 3;

  private final PgDatabase database;
  private final int lockTimeoutMs;
  private final long ageMaxMs;

  ReceiptRotation(PgDatabase database, int lockTimeoutMs, long ageMaxMs) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
    this.ageMaxMs = ageMaxMs;
  }

  Future<Void> rotate(Claim claim) {
    return database
        .run(Statement.READ_RECEIPT_PARTS, Tuple.tuple())
        .compose(parts -> rotateIfDue(claim, parts));
  }

  private Future<Void> rotateIfDue(Claim claim, RowSet<Row> parts) {
    int current = 0;
    int shards = 0;
    long ageMs = 0;
    boolean[] isEmpty = new boolean[PARTS];
    for (Row part : parts) {
      isEmpty[part.getInteger("part")] = part.getBoolean("is_empty");
      if (part.getBoolean("is_current")) {
        current = part.getInteger("part");
        ageMs = part.getLong("age_ms");
        shards = part.getInteger("shard_count");
      }
    }
    if (ageMs < ageMaxMs) {
      return Future.succeededFuture();
    }
    int next = (current + 1) % PARTS;
    Future<Boolean> emptied =
        isEmpty[next]
            ? Future.succeededFuture(true)
            : carryForward(claim, 0, shards).compose(done -> empty(claim, next));
    return emptied.compose(
        done ->
            done
                ? database
                    .run(Statement.RECEIPT_TURN, Tuple.of(claim.token(), lockTimeoutMs))
                    .mapEmpty()
                : Future.succeededFuture());
  }

  /** One shard after the other: a shard that is busy is found in the next round. */
  private Future<Void> carryForward(Claim claim, int shard, int shards) {
    if (shard == shards) {
      return Future.succeededFuture();
    }
    return database
        .run(Statement.RECEIPT_CARRY, Tuple.of(claim.token(), lockTimeoutMs, shard))
        .compose(done -> carryForward(claim, shard + 1, shards));
  }

  private Future<Boolean> empty(Claim claim, int part) {
    return database.runForOne(
        Statement.RECEIPT_TRUNCATE,
        Tuple.of(claim.token(), lockTimeoutMs, part),
        row -> row.getBoolean("is_done"));
  }
}
