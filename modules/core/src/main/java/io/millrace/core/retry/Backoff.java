package io.millrace.core.retry;

/**
 * Exponential back-off with full jitter over its upper half, so that nodes that failed together do
 * not come back together.
 *
 * @param minMs delay after the first failure, in milliseconds, at least 1
 * @param maxMs no delay is longer than this, in milliseconds, at least {@code minMs}
 */
public record Backoff(long minMs, long maxMs) {
  private static final int DOUBLINGS_MAX = 30;

  public Backoff {
    if (minMs < 1 || maxMs < minMs) {
      throw new IllegalArgumentException(
          "back-off needs 1 <= min_ms <= max_ms, found " + minMs + " and " + maxMs);
    }
  }

  /**
   * The delay before the next attempt.
   *
   * @param failures how many attempts have failed in a row, at least 1
   * @param random a number in [0, 1), drawn by the caller: core has no randomness of its own
   * @return milliseconds, between half of the exponential step and the step itself
   */
  public long delayMs(int failures, double random) {
    int doublings = Math.min(Math.max(failures - 1, 0), DOUBLINGS_MAX);
    long step = Math.min(maxMs, minMs << doublings);
    if (step <= 0) {
      step = maxMs;
    }
    return Math.max(1, step / 2 + (long) (random * (step - step / 2)));
  }
}
