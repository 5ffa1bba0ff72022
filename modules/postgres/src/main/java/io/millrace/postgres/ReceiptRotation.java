package io.millrace.postgres;

import io.millrace.core.lease.Claim;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** Rotates the lists of receipts: the newest receipt of every shard is carried forward. */
final class ReceiptRotation {
  private final PgDatabase database;
  private final int lockTimeoutMs;
  private final ListRotation lists;

  ReceiptRotation(PgDatabase database, int lockTimeoutMs, long ageMaxMs) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
    this.lists =
        new ListRotation(
            database,
            lockTimeoutMs,
            ageMaxMs,
            new ListRotation.Lists(
                Statement.READ_RECEIPT_PARTS,
                this::carry,
                Statement.RECEIPT_TRUNCATE,
                Statement.RECEIPT_TURN));
  }

  Future<Void> rotate(Claim claim) {
    return lists.rotate(claim);
  }

  private Future<Void> carry(Claim claim) {
    return database
        .runForOne(Statement.READ_SHARD_COUNT, Tuple.tuple(), row -> row.getInteger("shard_count"))
        .compose(shards -> carryFrom(claim, 0, shards));
  }

  /** One shard after the other: a shard that is busy is found in the next round. */
  private Future<Void> carryFrom(Claim claim, int shard, int shards) {
    if (shard == shards) {
      return Future.succeededFuture();
    }
    return database
        .run(Statement.RECEIPT_CARRY, Tuple.of(claim.token(), lockTimeoutMs, shard))
        .compose(done -> carryFrom(claim, shard + 1, shards));
  }
}
