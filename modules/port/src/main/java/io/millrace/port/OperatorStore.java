package io.millrace.port;

import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;

/**
 * What an operator may do. Each act is recorded with who did it and why, in the transaction of the
 * act; one that the database refuses fails with {@link ActRefused}.
 */
public interface OperatorStore {
  /**
   * Who acts, and why.
   *
   * @param actor 1 to 200 characters
   * @param reason 1 to 2,000 characters
   */
  record Act(String actor, String reason) {}

  /** Has parked messages published again; how many it concerns. */
  Future<Long> redrive(Act act, List<UUID> messageIds);

  /** Has parked messages never published; how many it concerns. */
  Future<Long> discard(Act act, List<UUID> messageIds);

  /** Takes a shard out of work; whether it was in work. */
  Future<Boolean> pause(Act act, int shard);

  /** Puts a shard back to work; whether it was out of work. */
  Future<Boolean> resume(Act act, int shard);

  /** Has retained messages published once more; the replay's number. */
  Future<Long> startReplay(Act act, ReplayOrder order);

  /** Stops a replay; whether it was running. */
  Future<Boolean> cancelReplay(Act act, long replay);

  /** Has the ring turned at maintenance's next round; whether that had not been asked for yet. */
  Future<Boolean> turnRing(Act act);
}
