package io.millrace.inbox;

import io.millrace.core.inbox.BatchLimit;
import io.millrace.core.inbox.ParkReason;
import io.millrace.core.inbox.StripePosition;
import io.millrace.core.retry.Backoff;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction after the other for the records of one stripe, in the order of their offsets.
 *
 * <p>A batch that fails through a fault of its own is taken apart: its records go one by one until
 * all of them are through. One that fails alone is tried again, then parked. What is nobody's fault
 * is tried for as long as it takes.
 */
final class StripeWorker {
  private static final Logger LOG = LoggerFactory.getLogger(StripeWorker.class);

  private final ConsumerSetting setting;
  private final Feed feed;
  private final int stripe;
  private final int stripeCount;
  private final BatchLimit limit;
  private final Backoff backoff;
  private final Deque<Item> queue = new ArrayDeque<>();

  private long to;
  private int leaderEpoch;
  private int takenApart;
  private int attempts;
  private int failures;
  private @Nullable Verdict verdict;
  private @Nullable String reason;
  private boolean isRunning;
  private boolean isStopped;
  private long timer = -1;
  private long startedNanos;

  StripeWorker(ConsumerSetting setting, Feed feed, StripePosition position) {
    this.setting = setting;
    this.feed = feed;
    this.stripe = position.stripe();
    this.stripeCount = position.stripeCount();
    this.to = position.to();
    this.leaderEpoch = position.leaderEpoch();
    this.limit =
        new BatchLimit(setting.config().batchRowsMax(), setting.config().handlerTimeoutMs());
    this.backoff =
        new Backoff(setting.config().retryDelayMinMs(), setting.config().retryDelayMaxMs());
  }

  /** Every record of the stripe below is done. */
  long to() {
    return to;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  boolean isRunning() {
    return isRunning;
  }

  /** Why it is not getting on; null: it is. */
  @Nullable String reason() {
    long runningMs =
        isRunning ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos) : 0;
    long limitMs = setting.config().handlerTimeoutMs() + setting.config().lockTimeoutMs();
    return reason == null && runningMs > limitMs
        ? feed.assignment() + ": a transaction has been waiting for " + runningMs + " ms"
        : reason;
  }

  void add(Item item) {
    queue.add(item);
  }

  /** Goes on, unless it is at it or waits for its next attempt. */
  void wake() {
    if (!isRunning && !isStopped && timer < 0 && !queue.isEmpty()) {
      run(take());
    }
  }

  /**
   * Records that a stripe without records of its own has kept up with the others: a restart goes on
   * at the lowest position of all.
   */
  void keepUp() {
    if (!isRunning && !isStopped && timer < 0 && queue.isEmpty() && to < feed.readTo()) {
      run(List.of());
    }
  }

  /** Begins nothing more, and forgets what waits; what runs goes on to its end. */
  void stop() {
    isStopped = true;
    queue.clear();
    if (timer >= 0) {
      vertx().cancelTimer(timer);
      timer = -1;
    }
  }

  private List<Item> take() {
    int rows = takenApart > 0 ? 1 : limit.rows();
    List<Item> batch = new ArrayList<>();
    long bytes = 0;
    for (Item item : queue) {
      bytes += item.bytes();
      if (!batch.isEmpty() && (batch.size() == rows || bytes > setting.config().batchBytesMax())) {
        break;
      }
      batch.add(item);
    }
    return batch;
  }

  private void run(List<Item> batch) {
    isRunning = true;
    startedNanos = System.nanoTime();
    // Offsets have holes: with nothing left in the queue, what was read last decides.
    boolean isAll = batch.size() == queue.size();
    Item last = batch.isEmpty() ? null : batch.get(batch.size() - 1);
    long next = isAll || last == null ? feed.readTo() : last.record().offset() + 1;
    // What lies below the new position may be another stripe's, of a later leader.
    int below = isAll || last == null ? feed.readEpoch() : last.record().leaderEpoch();
    int epoch = Math.max(leaderEpoch, below);
    Position position = new Position(feed.chain(), stripe, stripeCount, to, next, epoch);
    new BatchRun(setting, position, batch, verdict)
        .start()
        .onSuccess(outcome -> ended(outcome, position, batch));
  }

  private void ended(Outcome outcome, Position position, List<Item> batch) {
    isRunning = false;
    if (outcome instanceof Outcome.Applied applied) {
      applied(applied, position, batch);
    } else if (!isStopped) {
      failed(outcome, batch);
    }
    if (isStopped) {
      feed.workerStopped();
    } else {
      wake();
    }
  }

  private void applied(Outcome.Applied applied, Position position, List<Item> batch) {
    if (!isStopped) {
      for (Item item : batch) {
        queue.poll();
        feed.done(item);
      }
    }
    to = position.to();
    leaderEpoch = position.leaderEpoch();
    takenApart = Math.max(0, takenApart - batch.size());
    attempts = 0;
    failures = 0;
    verdict = null;
    reason = null;
    if (!batch.isEmpty()) {
      limit.passed(batch.size(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos));
    }
    setting.metrics().applied(applied);
    feed.advanced();
  }

  private void failed(Outcome outcome, List<Item> batch) {
    if (outcome instanceof Outcome.Moved moved) {
      setting.metrics().failed("moved");
      feed.reload(moved.reason());
    } else if (outcome instanceof Outcome.Retry retry) {
      setting.metrics().failed(retry.isCollision() ? "collision" : "outage");
      if (retry.isCollision()) {
        limit.collided();
      }
      pause(retry.cause(), batch);
    } else if (outcome instanceof Outcome.Blamed blamed) {
      setting.metrics().failed("message");
      blamed(blamed, batch);
    }
  }

  private void blamed(Outcome.Blamed blamed, List<Item> batch) {
    if (batch.isEmpty()) {
      return; // only keeping up, which is tried again soon anyway
    }
    if (batch.size() > 1) {
      LOG.warn(
          "{}: a batch of {} from {} on failed and goes on one by one",
          feed.chain(),
          batch.size(),
          batch.get(0).record().coordinates(),
          blamed.cause());
      takenApart = batch.size();
      if (blamed.reason() == ParkReason.OVERDUE) {
        limit.collided();
      }
      return;
    }
    takenApart = Math.max(1, takenApart);
    attempts++;
    boolean isFinal = blamed.reason() == ParkReason.REFUSED;
    if (verdict != null) {
      pause(blamed.cause(), batch); // even parking it has failed
    } else if (isFinal || attempts >= setting.config().attemptsMax()) {
      verdict = Verdict.of(blamed, attempts);
      LOG.error(
          "{}: {} is parked after {} attempts",
          feed.chain(),
          batch.get(0).record().coordinates(),
          attempts,
          blamed.cause());
    } else {
      pause(blamed.cause(), batch);
    }
  }

  private void pause(Throwable cause, List<Item> batch) {
    if (batch.isEmpty()) {
      return; // only keeping up, which is tried again soon anyway
    }
    failures++;
    long delayMs = backoff.delayMs(failures, ThreadLocalRandom.current().nextDouble());
    String where = batch.get(0).record().coordinates();
    reason = where + ": " + cause.getMessage();
    if (failures == 1) {
      LOG.warn("{}: {} will be tried again", feed.chain(), where, cause);
    } else {
      LOG.debug("{}: {}: attempt {} in {} ms", feed.chain(), where, failures + 1, delayMs);
    }
    timer =
        vertx()
            .setTimer(
                delayMs,
                fired -> {
                  timer = -1;
                  wake();
                });
  }

  private Vertx vertx() {
    return setting.context().owner();
  }
}
