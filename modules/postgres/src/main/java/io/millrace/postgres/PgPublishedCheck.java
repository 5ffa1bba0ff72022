package io.millrace.postgres;

import io.millrace.core.lease.Claim;
import io.millrace.port.PublishedCheck;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/**
 * Is a slot published? The database knows who publishes, and asks its receipts or its replication
 * slot.
 */
public final class PgPublishedCheck implements PublishedCheck {
  private final PgDatabase database;
  private final int lockTimeoutMs;

  /**
   * @param lockTimeoutMs the longest wait for a lock that others queue behind, in milliseconds
   */
  public PgPublishedCheck(PgDatabase database, int lockTimeoutMs) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
  }

  @Override
  public Future<Optional<String>> unpublished(Claim claim, int slot) {
    return database.runForOne(
        Statement.RING_UNPUBLISHED,
        Tuple.of(claim.token(), lockTimeoutMs, slot),
        row -> Optional.ofNullable(row.getString("postponed")));
  }
}
