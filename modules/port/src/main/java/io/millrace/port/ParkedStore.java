package io.millrace.port;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.vertx.core.Future;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Messages that are held back. They are parked by a receipt; here they leave. */
public interface ParkedStore {
  /** The lookup of a batch: which of the keys are blocked. */
  Future<Set<OrderKey>> blocked(int shard, Set<OrderKey> keys);

  /**
   * Messages that may go out now: of keys that are due, the first ones up to one that an operator
   * must decide about. Each key's are in id order.
   *
   * @param skipped topics that are left out: those of open lanes
   */
  Future<List<OutboxMessage>> due(int shard, List<String> skipped, ReadBounds bounds);

  /**
   * Records what became of them, and lifts the blocks of keys of which nothing is parked any more.
   */
  Future<ReceiptOutcome> recordRedrive(Redriven redriven);

  /**
   * Removes messages that an operator wants discarded, each audited.
   *
   * @return how many; empty when the shard belongs to somebody else
   */
  Future<OptionalInt> discardWanted(int shard, io.millrace.core.lease.Claim claim, int rowsMax);
}
