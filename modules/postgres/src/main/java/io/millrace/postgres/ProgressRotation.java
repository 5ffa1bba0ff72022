package io.millrace.postgres;

import io.millrace.core.lease.Claim;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** Rotates the lists of progress: the newest progress of every stripe is carried forward. */
final class ProgressRotation {
  /** Stripes carried in one transaction; it holds the lock of each, and consumers wait for it. */
  private static final int CARRIED_AT_ONCE = 100;

  /** Transactions in one round; what is left is found in the next. */
  private static final int TRANSACTIONS_MAX = 100;

  private final PgDatabase database;
  private final int lockTimeoutMs;
  private final ListRotation lists;

  ProgressRotation(PgDatabase database, int lockTimeoutMs, long ageMaxMs) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
    this.lists =
        new ListRotation(
            database,
            lockTimeoutMs,
            ageMaxMs,
            new ListRotation.Lists(
                Statement.READ_PROGRESS_PARTS,
                claim -> carry(claim, TRANSACTIONS_MAX),
                Statement.PROGRESS_TRUNCATE,
                Statement.PROGRESS_TURN));
  }

  Future<Void> rotate(Claim claim) {
    return lists.rotate(claim);
  }

  private Future<Void> carry(Claim claim, int transactions) {
    return database
        .runForOne(
            Statement.PROGRESS_CARRY,
            Tuple.of(claim.token(), lockTimeoutMs, CARRIED_AT_ONCE),
            row -> row.getInteger("carried"))
        .compose(
            carried ->
                carried < CARRIED_AT_ONCE || transactions == 1
                    ? Future.succeededFuture()
                    : carry(claim, transactions - 1));
  }
}
