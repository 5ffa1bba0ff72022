package io.millrace.relay;

import io.millrace.port.Position;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Finds messages that no nudge announces: one look for all shards of the node asks which of them
 * have something beyond what they have read, and signals those. It is a hint as a nudge is. What it
 * cannot see, a message that commits late, below the head of its shard, is left to that shard's own
 * look, which comes more seldom.
 */
final class Lookout {
  private final Shards shards;
  private final Function<Map<Integer, Long>, Future<List<Integer>>> waiting;
  private final PollDelay delay;

  /** Those of this node. */
  interface Shards {
    /**
     * How far those have read that read nothing just now, where the outbox has gone further.
     *
     * @return by shard
     */
    Map<Integer, Long> idleHeadsBelow(long sequence);

    /** There is something to read. */
    void signal(int shard);
  }

  /**
   * @param waiting as {@link io.millrace.port.OutboxStore#waiting}
   */
  Lookout(
      Shards shards, Function<Map<Integer, Long>, Future<List<Integer>>> waiting, PollDelay delay) {
    this.shards = shards;
    this.waiting = waiting;
    this.delay = delay;
  }

  boolean isDue(long nowMs) {
    return delay.isDue(nowMs);
  }

  /** The database does not answer: the next look comes later. */
  void skip(long nowMs) {
    delay.backOff(nowMs);
  }

  /**
   * Looks, if it is time.
   *
   * @param position what was read of the database just now
   * @return never failed: who reads will meet the same failure, and tell
   */
  Future<Void> look(Position position, long nowMs) {
    if (!delay.isDue(nowMs)) {
      return Future.succeededFuture();
    }
    delay.backOff(nowMs);
    Map<Integer, Long> heads = shards.idleHeadsBelow(position.sequence());
    return heads.isEmpty()
        ? Future.succeededFuture()
        : waiting.apply(heads).onSuccess(this::signal).otherwise(List.of()).mapEmpty();
  }

  private void signal(List<Integer> found) {
    if (!found.isEmpty()) {
      delay.found(ShardContext.nowMs());
    }
    found.forEach(shards::signal);
  }
}
