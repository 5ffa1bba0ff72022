package io.millrace.example.payment.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the consumer processes, one thing after the other, from a thread of its own. Each
 * kind of thing happens at least once.
 */
final class Trouble implements AutoCloseable {
  private static final int PAUSE_MS_MIN = 1_000;
  private static final int PAUSE_MS_MAX = 3_500;

  /** Its session has ended: its topic partitions are others' when it goes on. */
  private static final long FROZEN_MS_MIN = NodeSettings.SESSION_MS + 2_000;

  private static final int LOOK_MS = 100;
  private static final int BOOKED_WAIT_MS_MAX = 15_000;
  private static final int NOBODY = -1;

  private enum Kind {
    KILL,
    FREEZE,
    STOP
  }

  /** Kills are what there must be many of. */
  private static final List<Kind> USUAL = List.of(Kind.KILL, Kind.KILL, Kind.FREEZE, Kind.STOP);

  private final NodeFleet fleet;
  private final Random random;
  private final CountDownLatch enough = new CountDownLatch(1);
  private final Thread thread = new Thread(this::make, "trouble");
  private final AtomicInteger kills = new AtomicInteger();
  private final AtomicInteger freezes = new AtomicInteger();
  private final AtomicInteger stops = new AtomicInteger();
  private volatile @Nullable Exception failure;
  private int frozen = NOBODY;
  private long frozenAtNanos;

  Trouble(NodeFleet fleet, long seed) {
    this.fleet = fleet;
    this.random = new Random(seed);
  }

  void start() {
    thread.start();
  }

  int kills() {
    return kills.get();
  }

  int freezes() {
    return freezes.get();
  }

  int stops() {
    return stops.get();
  }

  /** What went wrong, or null. */
  @Nullable Exception failure() {
    return failure;
  }

  /** Lets nothing more begin, as soon as each kind of thing has happened. */
  void end() {
    enough.countDown();
  }

  boolean isOver() {
    return !thread.isAlive();
  }

  private void make() {
    try {
      List<Kind> first = new ArrayList<>(List.of(Kind.values()));
      Collections.shuffle(first, random);
      for (Kind kind : first) {
        happen(kind);
      }
      while (enough.getCount() > 0) {
        happen(USUAL.get(random.nextInt(USUAL.size())));
      }
      while (frozen != NOBODY) {
        pause();
      }
    } catch (InterruptedException e) {
      thaw();
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private void pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(random.nextInt(PAUSE_MS_MIN, PAUSE_MS_MAX));
    thawIfDue();
  }

  private void happen(Kind kind) throws InterruptedException {
    int place = place();
    pause();
    if (kind == Kind.FREEZE && frozen == NOBODY) {
      freeze(place);
    } else if (kind == Kind.STOP) {
      fleet.stop(place);
      stops.incrementAndGet();
    } else {
      fleet.kill(place);
      kills.incrementAndGet();
    }
  }

  /**
   * Of a process that has booked something: one that has no topic partition yet cannot be caught in
   * anything, and if all are ended before they have one, nothing gets on. In the end there may be
   * nothing left to book.
   */
  private int place() throws InterruptedException {
    for (int waitedMs = 0; ; waitedMs += LOOK_MS) {
      boolean isAnyGood = waitedMs >= BOOKED_WAIT_MS_MAX;
      int[] good =
          IntStream.range(0, fleet.size())
              .filter(place -> place != frozen)
              .filter(place -> fleet.hasBooked(place) || (isAnyGood && fleet.isRunning(place)))
              .toArray();
      if (good.length > 0) {
        return good[random.nextInt(good.length)];
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      thawIfDue();
    }
  }

  private void freeze(int place) {
    fleet.freeze(place);
    frozen = place;
    frozenAtNanos = System.nanoTime();
    freezes.incrementAndGet();
  }

  private void thawIfDue() {
    if (System.nanoTime() - frozenAtNanos > TimeUnit.MILLISECONDS.toNanos(FROZEN_MS_MIN)) {
      thaw();
    }
  }

  private void thaw() {
    if (frozen != NOBODY) {
      fleet.thaw(frozen);
      frozen = NOBODY;
    }
  }

  @Override
  public void close() {
    end();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
