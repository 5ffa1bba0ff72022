package io.millrace.core.lease;

/**
 * The owner's own view of its lease. It is as old as the last heartbeat that is known to have
 * succeeded, counted from before that heartbeat was sent. An owner whose lease is older than its
 * length hands nothing more to the producer: others may already call it dead.
 *
 * <p>Clock readings come from the caller, in milliseconds of a monotonic clock.
 */
public final class Lease {
  private final long durationMs;
  private long renewedAtMs;
  private boolean held;

  public Lease(long durationMs) {
    this.durationMs = durationMs;
  }

  /** A heartbeat that was sent at this time has succeeded. */
  public void renew(long sentAtMs) {
    renewedAtMs = held ? Math.max(renewedAtMs, sentAtMs) : sentAtMs;
    held = true;
  }

  /** The node has been removed by others, or leaves. */
  public void lose() {
    held = false;
  }

  public boolean isValid(long nowMs) {
    return held && nowMs - renewedAtMs < durationMs;
  }
}
