package io.millrace.port;

import java.util.List;

/**
 * What is held back in a shard.
 *
 * @param lanes topics that have a lane of their own
 * @param draining those of them whose messages are to be parked while they cannot be published
 * @param laneVersion raised whenever a lane begins or ends
 * @param hasBlocked whether anything is parked, so that batches must be looked up
 */
public record HeldBack(
    List<String> lanes, List<String> draining, long laneVersion, boolean hasBlocked) {
  public static final HeldBack NOTHING = new HeldBack(List.of(), List.of(), 0, false);

  public HeldBack {
    lanes = List.copyOf(lanes);
    draining = List.copyOf(draining);
  }
}
