package io.millrace.port;

import io.millrace.core.cursor.Incarnation;

/**
 * A shard's part of a replay.
 *
 * @param replay which one
 * @param position ids up to here are done
 * @param ratePerSecond messages that this shard may send a second, above 0: the replay's rate,
 *     divided evenly over the shards that are not done
 * @param incarnation in which the position was loaded
 */
public record ReplayTask(
    int shard, long replay, long position, double ratePerSecond, Incarnation incarnation) {}
