package io.millrace.client;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a message has been published, or applied by a consumer. A notice ends the wait at
 * once; the database is asked at the beginning and every {@value #ASK_MS} ms, so that a notice that
 * was missed costs no more than that. For tests, tools and callers who have to know; each wait
 * costs statements, so not for every message of a busy system.
 */
public final class Confirmations {
  private static final long ASK_MS = 500;
  private static final long TIMEOUT_MS_MAX = TimeUnit.DAYS.toMillis(1);
  private static final long NANOS_PER_MS = 1_000_000;

  private final Vertx vertx;
  private final Pool pool;

  /**
   * @param pool connects to the database in question; its role needs {@code millrace_reader}
   */
  public Confirmations(Vertx vertx, Pool pool) {
    this.vertx = vertx;
    this.pool = pool;
  }

  /**
   * Completes once the message is known to be published: its batch has its receipt.
   *
   * @param topic the message's own
   * @param timeoutMs longest wait, at least 1; a day at most
   * @return failed with {@link NotConfirmed}, which tells the message's state, when the time is up;
   *     also for a message that was published so long ago that its slot has been emptied
   */
  public Future<Void> awaitPublished(UUID messageId, String topic, long timeoutMs) {
    if (timeoutMs < 1) {
      return tooShort(timeoutMs);
    }
    Wait wait =
        new Wait(
            "message " + messageId + " published",
            timeoutMs,
            () -> ask(Statement.PUBLISHED, Tuple.of(messageId)),
            "published");
    return wait.with(new Notices(vertx).published(topic, notice -> wait.told(notice, messageId)));
  }

  /**
   * Completes once the consumer is known to have applied the message: its transaction has
   * committed.
   *
   * @param messageId of a message of Millrace's; a foreign one with an identity of another kind is
   *     not found
   * @param timeoutMs longest wait, at least 1; a day at most
   * @return failed with {@link NotConfirmed}, which tells the message's state, when the time is up
   */
  public Future<Void> awaitApplied(UUID messageId, String consumer, long timeoutMs) {
    if (timeoutMs < 1) {
      return tooShort(timeoutMs);
    }
    Wait wait =
        new Wait(
            "message " + messageId + " applied by " + consumer,
            timeoutMs,
            () -> ask(Statement.APPLIED, Tuple.of(consumer, messageId)),
            "applied");
    return wait.with(new Notices(vertx).applied(consumer, notice -> wait.told(notice, messageId)));
  }

  private static Future<Void> tooShort(long timeoutMs) {
    return Future.failedFuture(
        new IllegalArgumentException("timeoutMs must be at least 1, found " + timeoutMs));
  }

  private Future<String> ask(Statement statement, Tuple values) {
    return pool.preparedQuery(statement.text())
        .execute(values)
        .map(
            rows -> {
              Row row = rows.iterator().next();
              String state = row.getString("state");
              return state == null ? "not found" : state;
            });
  }

  /** One wait. Its parts run on the context of the caller, or on one made for each by Vert.x. */
  private final class Wait {
    private final String what;
    private final Supplier<Future<String>> ask;
    private final String wanted;
    private final long deadlineMs;
    private final Promise<Void> done = Promise.promise();
    private volatile String last = "not asked";

    Wait(String what, long timeoutMs, Supplier<Future<String>> ask, String wanted) {
      this.what = what;
      this.ask = ask;
      this.wanted = wanted;
      this.deadlineMs = nowMs() + Math.min(timeoutMs, TIMEOUT_MS_MAX);
    }

    Future<Void> with(Notices.Subscription subscription) {
      long deadline = vertx.setTimer(Math.max(1, deadlineMs - nowMs()), due -> end());
      look();
      return done.future()
          .onComplete(
              ended -> {
                vertx.cancelTimer(deadline);
                subscription.close();
              });
    }

    void told(Notice notice, UUID messageId) {
      if (notice.messages().stream().anyMatch(m -> m.messageId().equals(messageId))) {
        done.tryComplete();
      }
    }

    private void look() {
      if (!done.future().isComplete()) {
        ask.get().onComplete(asked -> found(asked.result(), asked.cause()));
      }
    }

    /** A database that does not answer now may do so before the time is up. */
    private void found(@Nullable String state, @Nullable Throwable failure) {
      last = state == null ? "unknown: " + failure : state;
      if (wanted.equals(state)) {
        done.tryComplete();
      } else {
        vertx.setTimer(ASK_MS, due -> look());
      }
    }

    private void end() {
      done.tryFail(new NotConfirmed(what + ": not seen in time, its state is " + last));
    }
  }

  private static long nowMs() {
    return System.nanoTime() / NANOS_PER_MS;
  }
}
