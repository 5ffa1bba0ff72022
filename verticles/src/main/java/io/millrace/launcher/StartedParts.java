package io.millrace.launcher;

import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What has been started, and how each part of it is stopped: in the reverse order, one after the
 * other. A part that stops badly does not keep the others from being stopped.
 */
final class StartedParts {
  private record Part(String name, Supplier<Future<?>> stop) {}

  private final Deque<Part> parts = new ArrayDeque<>();
  private volatile @Nullable String stopping;

  /**
   * @param name what is waited for while it stops, for people
   */
  void push(String name, Supplier<Future<?>> stop) {
    parts.push(new Part(name, stop));
  }

  /** Stops what is left. Called once. */
  Future<Void> stop() {
    Part next = parts.poll();
    if (next == null) {
      stopping = null;
      return Future.succeededFuture();
    }
    stopping = next.name();
    return next.stop().get().otherwiseEmpty().compose(done -> stop());
  }

  /** The part that is being stopped; null: none is. May be asked on any thread. */
  @Nullable String stopping() {
    return stopping;
  }
}
