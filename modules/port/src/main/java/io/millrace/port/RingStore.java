package io.millrace.port;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.MaintenanceRow;
import io.millrace.core.ring.RingStep;
import io.millrace.core.ring.RingView;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The ring's maintenance: every step is a transaction that holds the lock which a take-over must
 * take.
 */
public interface RingStore {
  /** Takes over maintenance if it is still as it was seen; empty when somebody was faster. */
  Future<Optional<Claim>> claim(UUID node, MaintenanceRow seen, @Nullable Long ownerCounter);

  Future<Boolean> release(Claim claim);

  Future<RingView> view();

  /**
   * Does one step.
   *
   * @return empty when it was done, else why it was postponed, for people
   */
  Future<Optional<String>> step(Claim claim, RingStep step);

  /** Keeps for status pages why a slot is not cleaned yet. */
  Future<Void> postpone(Claim claim, int slot, String reason);

  /**
   * Looks whether the replication slot can be believed, where Debezium publishes, and remembers it
   * if not: nothing is cleaned from then on.
   *
   * @return empty when all is well or Millrace relays, else what is wrong, for people
   */
  Future<Optional<String>> checkPublishing(Claim claim);

  /**
   * Lets lanes be drained into parked: those older than the limit, or all when the ring needs their
   * slots.
   *
   * @param keepMs that limit, in milliseconds
   * @return how many are to be drained from now on
   */
  Future<Integer> drainLanes(Claim claim, long keepMs, boolean isShort);

  /**
   * Turns and empties the lists of receipts and the buckets of command answers when they are due.
   */
  Future<Void> rotate(Claim claim);
}
