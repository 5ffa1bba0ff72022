package io.millrace.testkit;

/** Counts the bytes that pass a {@link FaultProxy} one way, and knows when they are to be cut. */
final class ByteMeter {
  private static final long NOT_ARMED = -1;

  /**
   * What may be passed on of some bytes.
   *
   * @param bytes how many, from the front
   * @param isLast whether all connections are to be cut behind them
   */
  record Allowance(int bytes, boolean isLast) {}

  private long passed;
  private long left = NOT_ARMED;

  synchronized long passed() {
    return passed;
  }

  synchronized void cutAfter(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("a cut after " + bytes + " bytes, at least 1 is needed");
    }
    left = bytes;
  }

  synchronized void disarm() {
    left = NOT_ARMED;
  }

  /** Counts bytes that are about to be passed on. */
  synchronized Allowance allow(int count) {
    boolean isLast = left != NOT_ARMED && count >= left;
    int allowed = isLast ? (int) left : count;
    if (isLast) {
      left = NOT_ARMED;
    } else if (left != NOT_ARMED) {
      left -= allowed;
    }
    passed += allowed;
    return new Allowance(allowed, isLast);
  }
}
