package io.millrace.relay;

import io.millrace.core.failure.FailureKind;
import org.jspecify.annotations.Nullable;

/** Whether a shard moves, and if not, why. */
final class ShardHealth {
  /** A transient failure that has lasted this long is told to the operator, in milliseconds. */
  private static final long TOLERATED_MS = 2_000;

  private int failures;
  private long failingSinceMs;
  private FailureKind kind = FailureKind.TRANSIENT;
  private @Nullable String reason;

  void failed(long nowMs, FailureKind kind, String reason) {
    if (failures == 0) {
      failingSinceMs = nowMs;
    }
    failures++;
    this.kind = kind;
    this.reason = reason;
  }

  void recovered() {
    failures = 0;
    reason = null;
  }

  /** Failures in a row. */
  int failures() {
    return failures;
  }

  /**
   * @param waiting what the shard waits for without having failed; null: nothing
   */
  @Nullable String reason(long nowMs, @Nullable String waiting) {
    if (failures == 0) {
      return waiting;
    }
    boolean isTolerated = kind == FailureKind.TRANSIENT || kind == FailureKind.UNKNOWN_OUTCOME;
    return isTolerated && nowMs - failingSinceMs < TOLERATED_MS ? waiting : reason;
  }
}
