package io.millrace.relay;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.lease.Claim;
import io.millrace.port.ReplayPage;
import io.millrace.port.ReplayProgress;
import io.millrace.port.ReplayTask;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How far a shard is with its part of a replay, and what of that is not recorded yet. */
final class ReplayRun {
  /**
   * Between two checkpoints, in milliseconds: so much is repeated after a crash. What keeps it
   * waiting is told when it has lasted as long.
   */
  private static final long CHECKPOINT_MS = 1_000;

  private final ReplayTask task;
  private double ratePerSecond;
  private long position;
  private long recorded;
  private long recordedMs;
  private int sent;
  private int skipped;
  private @Nullable String skipReason;
  private @Nullable String waits;
  private long waitsSinceMs;
  private @Nullable String toldWaits;
  private boolean isDone;
  private int failures;

  ReplayRun(ReplayTask task, long nowMs) {
    this.task = task;
    this.ratePerSecond = task.ratePerSecond();
    this.position = task.position();
    this.recorded = task.position();
    this.recordedMs = nowMs;
  }

  long replay() {
    return task.replay();
  }

  Incarnation incarnation() {
    return task.incarnation();
  }

  long position() {
    return position;
  }

  /** Messages of about a second. */
  int rowsMax(int batchRowsMax) {
    return (int) Math.max(1, Math.min(batchRowsMax, Math.ceil(ratePerSecond)));
  }

  /** How long so many messages take at the replay's rate, in milliseconds. */
  long durationMs(int messages) {
    return (long) Math.ceil(messages * 1_000 / ratePerSecond);
  }

  /** A page has been read; what it says of the rate counts from now on. */
  void reads(ReplayPage.Task page) {
    ratePerSecond = page.ratePerSecond();
  }

  /** A page, or its beginning, is done. */
  void passed(ReplayBatch batch, ReplayPage.Task page) {
    sent += batch.sent();
    skipped += batch.skipped();
    if (batch.skipReason() != null) {
      skipReason = batch.skipReason();
    }
    if (batch.stopper() == null) {
      position = page.doneUpTo();
      isDone = page.isLast();
      failures = 0;
      moves();
    } else {
      position = Math.max(position, batch.doneUpTo());
    }
  }

  /** Nothing keeps it waiting. */
  void moves() {
    waits = null;
    waitsSinceMs = 0;
  }

  /** It does not go on at the moment. */
  void waitsFor(String reason, long nowMs) {
    if (waits == null) {
      waitsSinceMs = nowMs;
    }
    waits = reason;
  }

  /**
   * It does not go on because something has failed.
   *
   * @return how many times in a row, at least 1
   */
  int failed(String reason, long nowMs) {
    waitsFor(reason, nowMs);
    return ++failures;
  }

  /** All of the shard's part is done. */
  boolean isDone() {
    return isDone;
  }

  /** Something is done that is not recorded yet. */
  boolean hasProgress() {
    return position > recorded || sent > 0 || skipped > 0;
  }

  boolean isCheckpointDue(long nowMs) {
    boolean hasNews = hasProgress() || !Objects.equals(told(nowMs), toldWaits);
    return isDone || (hasNews && nowMs - recordedMs >= CHECKPOINT_MS);
  }

  private @Nullable String told(long nowMs) {
    return waits != null && nowMs - waitsSinceMs >= CHECKPOINT_MS ? waits : null;
  }

  /**
   * What is to be recorded now.
   *
   * @param failure why the whole replay ends here; null: it does not
   */
  ReplayProgress progress(int shard, Claim claim, @Nullable String failure, long nowMs) {
    return new ReplayProgress(
        shard,
        claim,
        task.incarnation(),
        task.replay(),
        recorded,
        position,
        sent,
        skipped,
        new ReplayProgress.Notes(skipReason, told(nowMs), failure));
  }

  /** That is recorded. Nothing has been done since. */
  void recorded(ReplayProgress progress, long nowMs) {
    recorded = progress.position();
    recordedMs = nowMs;
    sent = 0;
    skipped = 0;
    skipReason = null;
    toldWaits = progress.notes().waits();
  }
}
