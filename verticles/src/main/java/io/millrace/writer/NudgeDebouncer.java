package io.millrace.writer;

import io.millrace.client.Nudge;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Gathers the shards of many commits into one nudge: a message on the bus for each commit would
 * cost more than it hurries. Lives on one context.
 */
final class NudgeDebouncer {
  private final Vertx vertx;
  private final long delayMs;
  private final Set<Integer> gathered = new HashSet<>();
  private OptionalLong timer = OptionalLong.empty();

  /**
   * @param delayMs how long the first shard waits for others; 0 sends at once
   */
  NudgeDebouncer(Vertx vertx, long delayMs) {
    this.vertx = vertx;
    this.delayMs = delayMs;
  }

  /** Takes the shards of one commit. */
  void add(Nudge nudge) {
    gathered.addAll(nudge.shards());
    if (gathered.isEmpty()) {
      return;
    }
    if (delayMs == 0) {
      flush();
    } else if (timer.isEmpty()) {
      timer = OptionalLong.of(vertx.setTimer(delayMs, id -> flush()));
    }
  }

  /** Sends what was gathered, if anything, without waiting for more. */
  void flush() {
    timer.ifPresent(vertx::cancelTimer);
    timer = OptionalLong.empty();
    if (!gathered.isEmpty()) {
      new Nudge(gathered).publish(vertx);
      gathered.clear();
    }
  }
}
