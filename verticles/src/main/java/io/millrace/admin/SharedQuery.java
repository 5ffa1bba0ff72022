package io.millrace.admin;

import io.vertx.core.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A query that runs at most once at a time: whoever asks while it runs gets the answer of the one
 * under way, so that impatient readers do not pile up statements. An asker's own time-out does not
 * end it. For one context.
 */
final class SharedQuery<T> {
  private final Supplier<Future<T>> query;
  private @Nullable Future<T> running;

  SharedQuery(Supplier<Future<T>> query) {
    this.query = query;
  }

  Future<T> ask() {
    if (running != null) {
      return running;
    }
    Future<T> started = query.get();
    running = started;
    return started.onComplete(done -> running = null);
  }
}
