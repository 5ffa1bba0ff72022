package io.millrace.transaction;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls foreign code and bridges its future, which any thread may complete, to a context. Its time
 * is limited here, not by {@code Future.timeout}: the code's own time-outs must stay apart from
 * this one. What it throws is a failure; a null instead of a future is one as well.
 */
public final class BoundedCall {
  private final Context context;
  private final LongConsumer calledForMs;

  /**
   * @param context where results arrive; on that duplicate of it on which a call was made
   * @param calledForMs told how long the call itself held the thread, in milliseconds
   */
  public BoundedCall(Context context, LongConsumer calledForMs) {
    this.context = context;
    this.calledForMs = calledForMs;
  }

  /**
   * Makes one call, on the caller's thread.
   *
   * @return failed with {@link Overdue} when {@code limitMs} milliseconds are over
   */
  public <T> Future<T> call(long limitMs, Supplier<@Nullable Future<T>> code) {
    Promise<T> settled = Promise.promise();
    Context home = home();
    long timer =
        context.owner().setTimer(Math.max(1, limitMs), id -> settled.tryFail(new Overdue(limitMs)));
    Future.succeededFuture()
        .compose(start -> timed(code))
        .onComplete(called -> home.runOnContext(back -> settle(settled, timer, called)));
    return settled.future();
  }

  /** A duplicate knows which trace its work belongs to, and what follows the call does as well. */
  private Context home() {
    ContextInternal current = ContextInternal.current();
    boolean isHere = current != null && current.unwrap() == ((ContextInternal) context).unwrap();
    return isHere ? current : context;
  }

  private <T> Future<T> timed(Supplier<@Nullable Future<T>> code) {
    long startNanos = System.nanoTime();
    try {
      Future<T> called = code.get();
      return called != null
          ? called
          : Future.failedFuture(new IllegalStateException("a null was returned for a future"));
    } finally {
      calledForMs.accept(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
    }
  }

  private <T> void settle(Promise<T> settled, long timer, AsyncResult<T> called) {
    context.owner().cancelTimer(timer);
    if (called.succeeded()) {
      settled.tryComplete(called.result());
    } else {
      settled.tryFail(called.cause());
    }
  }
}
