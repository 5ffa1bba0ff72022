package io.millrace.bench.gruelbox;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The background worker as the library's documentation writes it, on a thread of its own. */
final class FlushLoop {
  private static final long IDLE_MS = 100;
  private static final long STOP_WAIT_MS = 60_000;

  private final OutboxRun run;
  private final CountDownLatch ending = new CountDownLatch(1);
  private final Thread thread = new Thread(this::work, "flush");

  private FlushLoop(OutboxRun run) {
    this.run = run;
  }

  static FlushLoop start(OutboxRun run) {
    FlushLoop loop = new FlushLoop(run);
    loop.thread.start();
    return loop;
  }

  private void work() {
    try {
      do {
        flush();
      } while (!ending.await(IDLE_MS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void flush() {
    try {
      boolean found = true;
      while (found && ending.getCount() > 0) {
        found = run.flush();
      }
    } catch (RuntimeException e) {
      System.err.println("flush: " + e);
    }
  }

  /** Returns when the last flush has submitted what it found. */
  void stop() throws InterruptedException {
    ending.countDown();
    thread.join(STOP_WAIT_MS);
    if (thread.isAlive()) {
      throw new IllegalStateException("the flush has not ended within 60 s");
    }
  }
}
