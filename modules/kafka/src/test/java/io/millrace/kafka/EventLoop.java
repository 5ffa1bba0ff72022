package io.millrace.kafka;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One event loop, called from the test's thread. */
final class EventLoop implements AutoCloseable {
  private static final long SECONDS_MAX = 40;

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();

  Vertx vertx() {
    return vertx;
  }

  /** Calls on the event loop; completes there. */
  <T> CompletableFuture<T> start(Supplier<Future<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    context.runOnContext(
        here -> {
          try {
            call.get()
                .onComplete(
                    done -> {
                      if (done.succeeded()) {
                        result.complete(done.result());
                      } else {
                        result.completeExceptionally(done.cause());
                      }
                    });
          } catch (RuntimeException | AssertionError e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /** Calls on the event loop and waits for the future. */
  <T> T await(Supplier<Future<T>> call) {
    return await(start(call));
  }

  static <T> T await(CompletableFuture<T> result) {
    return result.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
  }

  /** Calls on the event loop and waits until the call returns. */
  <T> T call(Supplier<T> call) {
    return await(() -> Future.succeededFuture(call.get()));
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
