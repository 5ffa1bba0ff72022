package io.millrace.devstack;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for something in the world outside that sends no event, always with a limit. */
final class Await {
  private static final long POLL_MS = 20;

  private Await() {}

  /** Returns whether the condition became true within the limit. */
  static boolean until(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }
    return true;
  }

  static DevStackException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new DevStackException("interrupted while waiting for a server", e);
  }
}
