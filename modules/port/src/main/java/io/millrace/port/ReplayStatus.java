package io.millrace.port;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A replay as an operator looks at it.
 *
 * @param state running, done, cancelled or failed
 * @param endReason why it was cancelled or has failed
 * @param request what was asked for
 * @param finishedAt null while it runs
 * @param count what has become of it so far
 * @param laggards of a running one the shards with most left, ten at most
 */
public record ReplayStatus(
    long replay,
    String state,
    @Nullable String endReason,
    Request request,
    @Nullable Instant finishedAt,
    Count count,
    List<Laggard> laggards) {
  public ReplayStatus {
    laggards = List.copyOf(laggards);
  }

  public boolean isRunning() {
    return state.equals("running");
  }

  /**
   * What was asked for, by whom, and why. Filters that are null do not restrict.
   *
   * @param targetTopic null: each message's own topic
   * @param rate messages a second, over all shards
   */
  public record Request(
      String actor,
      String reason,
      @Nullable Instant fromAt,
      @Nullable Instant toAt,
      @Nullable String topic,
      @Nullable String aggregateType,
      @Nullable String aggregateId,
      @Nullable String targetTopic,
      int rate,
      Instant createdAt) {}

  /**
   * How far it is.
   *
   * @param skipped messages refused for good, or that nobody could fill
   * @param skipReason of one of them
   * @param progress share of ids that are done, 0 to 1
   * @param messagesLeft estimated; null: nothing to go by yet
   */
  public record Count(
      int shards,
      int shardsDone,
      long sent,
      long skipped,
      @Nullable String skipReason,
      double progress,
      @Nullable Long messagesLeft) {}

  /**
   * A shard that has something left.
   *
   * @param checkedAt when its owner has last recorded how far it is; null: not yet
   * @param why it does not go on; null: it does
   */
  public record Laggard(
      int shard, long idsLeft, @Nullable Instant checkedAt, @Nullable String why) {}
}
