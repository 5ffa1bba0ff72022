package io.millrace.relay;

/**
 * When a shard is looked at without having been nudged: sooner while such looks find something,
 * ever more seldom while they do not. What a nudge brought says nothing about them.
 */
final class PollDelay {
  private static final int SPEED_UP = 4;

  private final long minMs;
  private final long maxMs;
  private long delayMs;
  private long dueAtMs;

  PollDelay(long minMs, long maxMs) {
    this.minMs = minMs;
    this.maxMs = maxMs;
    this.delayMs = minMs;
  }

  boolean isDue(long nowMs) {
    return nowMs >= dueAtMs;
  }

  /** A look found something that nobody had announced. */
  void found(long nowMs) {
    delayMs = Math.max(minMs, delayMs / SPEED_UP);
    dueAtMs = Math.min(dueAtMs, nowMs + delayMs);
  }

  /** The shard is being looked at. */
  void backOff(long nowMs) {
    dueAtMs = nowMs + delayMs;
    delayMs = Math.min(maxMs, delayMs * 2);
  }
}
