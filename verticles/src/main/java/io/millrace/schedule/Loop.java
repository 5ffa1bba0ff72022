package io.millrace.schedule;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs rounds one after the other on the context that started it: a round, a pause, the next round.
 * A round that fails is followed by the next one all the same; reporting the failure is the round's
 * own business.
 */
public final class Loop {
  private final Vertx vertx;
  private final Supplier<Future<Void>> round;
  private final LongSupplier pauseMs;
  private final Promise<Void> stopped = Promise.promise();

  private long timer = -1;
  private boolean isRunning;
  private boolean isWoken;
  private boolean isStopping;

  /**
   * @param round one round; completes when it is over, must not throw
   * @param pauseMs asked after each round: milliseconds until the next, at least 1
   */
  public Loop(Vertx vertx, Supplier<Future<Void>> round, LongSupplier pauseMs) {
    this.vertx = vertx;
    this.round = round;
    this.pauseMs = pauseMs;
  }

  /** Begins a round now, or right after the one under way. */
  public void wake() {
    if (isStopping) {
      return;
    }
    if (isRunning) {
      isWoken = true;
      return;
    }
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
    run();
  }

  /** Begins the first round after a pause. */
  public void wakeLater() {
    if (!isStopping && !isRunning && timer < 0) {
      arm();
    }
  }

  private void run() {
    isRunning = true;
    isWoken = false;
    round.get().onComplete(done -> endOfRound());
  }

  private void endOfRound() {
    isRunning = false;
    if (isStopping) {
      stopped.tryComplete();
    } else if (isWoken) {
      // Through the event loop: rounds that are woken again and again must not starve other work.
      vertx.runOnContext(ignored -> wake());
    } else {
      arm();
    }
  }

  private void arm() {
    timer =
        vertx.setTimer(
            Math.max(1, pauseMs.getAsLong()),
            ignored -> {
              timer = -1;
              wake();
            });
  }

  /** Begins no further round; completes when the one under way is over. */
  public Future<Void> stop() {
    isStopping = true;
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
    if (!isRunning) {
      stopped.tryComplete();
    }
    return stopped.future();
  }
}
