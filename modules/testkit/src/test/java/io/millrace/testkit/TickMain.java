package io.millrace.testkit;

import java.util.concurrent.locks.LockSupport;

/** A program that shows on its output that it runs. */
final class TickMain {
  private static final long PACE_NANOS = 2_000_000;

  private TickMain() {}

  public static void main(String[] arguments) {
    while (true) {
      System.out.println("tick");
      LockSupport.parkNanos(PACE_NANOS);
    }
  }
}
