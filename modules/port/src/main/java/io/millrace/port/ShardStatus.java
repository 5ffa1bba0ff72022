package io.millrace.port;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A shard as an operator looks at it.
 *
 * @param owner the node that reads it; null: nobody
 * @param node the owner's name; null: nobody, or a node that has been removed
 * @param head the highest id that its newest receipt has passed
 * @param isSweeping a long late range is being worked off
 * @param publishedAt when its newest receipt was written
 * @param backlog messages above the head, counted up to 100,000
 * @param lagMs age of the oldest of them and of the lanes' unpublished ones, in milliseconds; 0:
 *     there is none
 * @param lanes topics that have a lane of their own
 * @param parked messages that are held back, counted up to 100,000
 */
public record ShardStatus(
    int shard,
    @Nullable UUID owner,
    @Nullable String node,
    long epoch,
    boolean paused,
    long head,
    boolean isSweeping,
    @Nullable Instant publishedAt,
    long backlog,
    long lagMs,
    List<LaneStatus> lanes,
    long parked) {
  public ShardStatus {
    lanes = List.copyOf(lanes);
  }
}
