package io.millrace.launcher;

import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process at once when a signal that asks it to stop comes once more while it is stopping.
 * Left to itself the JVM ignores the second one until its shutdown hooks have returned.
 *
 * <p>The JVM serves each signal on a thread of its own, named after it, and each of these threads
 * waits for the end of the shutdown: so a second such thread is a second signal. There is no public
 * interface to signals.
 */
final class SecondSignal implements Runnable {
  /** The exit code of a process that was ended at once. */
  static final int CUT_SHORT = 3;

  private static final Logger LOG = LoggerFactory.getLogger(SecondSignal.class);
  private static final Set<String> SERVED_BY =
      Set.of("SIGTERM handler", "SIGINT handler", "SIGHUP handler");
  private static final long LOOK_INTERVAL_MS = 100;

  private final CountDownLatch ended;
  private final long known;

  private SecondSignal(CountDownLatch ended, long known) {
    this.ended = ended;
    this.known = known;
  }

  /**
   * From now on a signal is a second one.
   *
   * @param ended the stop is over: nobody needs to watch any more
   */
  static void watchUntil(CountDownLatch ended) {
    Thread watch = new Thread(new SecondSignal(ended, received()), "millrace-second-signal");
    watch.setDaemon(true);
    watch.start();
  }

  private static long received() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> SERVED_BY.contains(thread.getName()))
        .count();
  }

  @Override
  public void run() {
    try {
      while (!ended.await(LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        if (received() > known) {
          LOG.warn("told to stop once more: ends at once, what was in flight is published again");
          Runtime.getRuntime().halt(CUT_SHORT);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
