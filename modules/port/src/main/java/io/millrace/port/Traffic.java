package io.millrace.port;

import io.millrace.core.cursor.Snapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was published between two looks.
 *
 * @param looked the look that it reaches to, for the next one
 * @param shards those that published
 */
public record Traffic(Snapshot looked, List<ShardTraffic> shards) {
  public Traffic {
    shards = List.copyOf(shards);
  }

  /**
   * What one shard published.
   *
   * @param messages in its receipts, lanes included
   * @param latencyMs from the append of the last message of its newest batch to that batch's
   *     receipt, in milliseconds; null: not known
   */
  public record ShardTraffic(int shard, long messages, @Nullable Long latencyMs) {}
}
