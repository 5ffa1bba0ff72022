package io.millrace.postgres;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.MaintenanceRow;
import io.millrace.core.ring.RingStep;
import io.millrace.core.ring.RingView;
import io.millrace.core.ring.Slot;
import io.millrace.core.ring.SlotState;
import io.millrace.port.RingStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The ring's maintenance: every step is one call, fenced by the claim's token. */
public final class PgRingStore implements RingStore {
  private final PgDatabase database;
  private final int lockTimeoutMs;
  private final ReceiptRotation receipts;

  /**
   * @param lockTimeoutMs the longest wait for a lock that others queue behind, in milliseconds
   * @param receiptAgeMaxMs a list of receipts is closed when it is this old, in milliseconds
   */
  public PgRingStore(PgDatabase database, int lockTimeoutMs, long receiptAgeMaxMs) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
    this.receipts = new ReceiptRotation(database, lockTimeoutMs, receiptAgeMaxMs);
  }

  @Override
  public Future<Optional<Claim>> claim(
      UUID node, MaintenanceRow seen, @Nullable Long ownerCounter) {
    Tuple values = Tuple.tuple();
    values.addUUID(node).addLong(seen.epoch()).addUUID(seen.owner()).addLong(ownerCounter);
    return database.run(Statement.CLAIM_MAINTENANCE, values).map(PgShardStore::toClaim);
  }

  @Override
  public Future<Boolean> release(Claim claim) {
    return database.runForOne(
        Statement.RELEASE_MAINTENANCE,
        Tuple.of(claim.token()),
        row -> row.getBoolean("is_released"));
  }

  @Override
  public Future<RingView> view() {
    return database.run(Statement.READ_RING, Tuple.tuple()).map(PgRingStore::toView);
  }

  private static RingView toView(RowSet<Row> rows) {
    List<Slot> slots = new ArrayList<>();
    int current = 0;
    boolean hotIsEmpty = true;
    for (Row row : rows) {
      current = row.getInteger("current");
      hotIsEmpty = row.getBoolean("hot_is_empty");
      slots.add(
          new Slot(
              row.getInteger("slot"),
              SlotState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
              row.getBoolean("is_closed"),
              row.getBoolean("waits_noted"),
              row.getLong("state_age_ms"),
              row.getLong("bytes")));
    }
    return new RingView(current, slots, hotIsEmpty);
  }

  @Override
  public Future<Optional<String>> step(Claim claim, RingStep step) {
    if (step instanceof RingStep.Reconcile) {
      return postponed(Statement.RING_RECONCILE, Tuple.of(claim.token(), lockTimeoutMs));
    }
    if (step instanceof RingStep.Prepare s) {
      return onSlot(Statement.RING_PREPARE, claim, s.slot());
    }
    if (step instanceof RingStep.Turn s) {
      return onSlot(Statement.RING_TURN, claim, s.slot());
    }
    if (step instanceof RingStep.Close s) {
      return onSlot(Statement.RING_CLOSE, claim, s.slot());
    }
    if (step instanceof RingStep.Attach s) {
      return onSlot(Statement.RING_ATTACH, claim, s.slot());
    }
    if (step instanceof RingStep.NoteWaits s) {
      return onSlot(Statement.RING_NOTE_WAITS, claim, s.slot());
    }
    if (step instanceof RingStep.ConfirmAttached s) {
      return onSlot(Statement.RING_CONFIRM_ATTACHED, claim, s.slot());
    }
    if (step instanceof RingStep.MarkPublished s) {
      return onSlot(Statement.RING_MARK_PUBLISHED, claim, s.slot());
    }
    if (step instanceof RingStep.Truncate s) {
      return onSlot(Statement.RING_TRUNCATE, claim, s.slot());
    }
    if (step instanceof RingStep.Detach s) {
      return onSlot(Statement.RING_DETACH, claim, s.slot());
    }
    if (step instanceof RingStep.Drop s) {
      return onSlot(Statement.RING_DROP, claim, s.slot());
    }
    return Future.failedFuture(
        new Failure(FailureKind.BROKEN, step + " is a question to the published-check", null));
  }

  private Future<Optional<String>> onSlot(Statement statement, Claim claim, int slot) {
    return postponed(statement, Tuple.of(claim.token(), lockTimeoutMs, slot));
  }

  private Future<Optional<String>> postponed(Statement statement, Tuple values) {
    return database.runForOne(
        statement, values, row -> Optional.ofNullable(row.getString("postponed")));
  }

  @Override
  public Future<Void> postpone(Claim claim, int slot, String reason) {
    return database
        .run(Statement.RING_POSTPONE, Tuple.of(claim.token(), lockTimeoutMs, slot, reason))
        .mapEmpty();
  }

  @Override
  public Future<Optional<String>> checkPublishing(Claim claim) {
    return database.runForOne(
        Statement.RING_CHECK_PUBLISHING,
        Tuple.of(claim.token(), lockTimeoutMs),
        row -> Optional.ofNullable(row.getString("problem")));
  }

  @Override
  public Future<Integer> drainLanes(Claim claim, long keepMs, boolean isShort) {
    return database.runForOne(
        Statement.DRAIN_LANES,
        Tuple.of(claim.token(), lockTimeoutMs, keepMs, isShort),
        row -> row.getInteger("marked"));
  }

  @Override
  public Future<Void> rotate(Claim claim) {
    return receipts
        .rotate(claim)
        .compose(
            done ->
                database
                    .run(Statement.COMMAND_ANSWER_CLEAN, Tuple.of(claim.token(), lockTimeoutMs))
                    .mapEmpty());
  }
}
