package io.millrace.client;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How often a command whose outcome is unknown, or that reached nobody, is sent again with the same
 * id, which makes that safe: what has run is not run again.
 *
 * @param attemptsMax 1 to {@value #ATTEMPTS_MAX}, the first one included
 * @param delayMsMin the first pause, at least 1 ms; each later one is twice as long
 * @param delayMsMax the longest pause, at least {@code delayMsMin}
 */
public record RetryPolicy(int attemptsMax, long delayMsMin, long delayMsMax) {
  /** Bounded, as everything that waits. */
  public static final int ATTEMPTS_MAX = 100;

  private static final int DOUBLINGS_MAX = 30;

  /**
   * @throws IllegalArgumentException naming the component, the limit and what was found
   */
  public RetryPolicy {
    if (attemptsMax < 1 || attemptsMax > ATTEMPTS_MAX) {
      throw new IllegalArgumentException(
          "attemptsMax must be 1 to " + ATTEMPTS_MAX + ", found " + attemptsMax);
    }
    if (delayMsMin < 1 || delayMsMax < delayMsMin) {
      throw new IllegalArgumentException(
          "delays must be at least 1 ms, the longest not below the first, found "
              + delayMsMin
              + " and "
              + delayMsMax);
    }
  }

  /** Five attempts, pauses of 100 ms to 5 s. */
  public static RetryPolicy standard() {
    return new RetryPolicy(5, 100, 5_000);
  }

  /** One attempt. */
  public static RetryPolicy none() {
    return new RetryPolicy(1, 1, 1);
  }

  /**
   * The pause after so many attempts, with up to half of it taken off by chance, so that callers
   * who failed together do not come back together.
   */
  long delayMs(int attempts) {
    long full = Math.min(delayMsMax, delayMsMin << Math.min(attempts - 1, DOUBLINGS_MAX));
    long bounded = full <= 0 ? delayMsMax : full;
    return bounded - ThreadLocalRandom.current().nextLong(bounded / 2 + 1);
  }
}
