package io.millrace.stress;

/**
 * How the writers of a run write.
 *
 * @param writers how many at the same time
 * @param longStallMs how long the longest of the transactions that stall stay open
 * @param pauseMsMax the longest pause between two transactions of a writer; 0: none
 * @param isDurable whether a commit is answered only when it survives a crash
 */
public record Load(int writers, int longStallMs, int pauseMsMax, boolean isDurable) {

  /** As much as the servers take. */
  static Load full(int longStallMs) {
    return new Load(24, longStallMs, 0, true);
  }

  /** A few hundred messages a second, and no transaction that stays open for long. */
  public static Load moderate() {
    return new Load(6, 500, 40, true);
  }

  public Load asynchronous() {
    return new Load(writers, longStallMs, pauseMsMax, false);
  }
}
