package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import java.util.List;

/**
 * How a shard goes on after the broker has refused a message: what stands before it is published by
 * itself, then that message is tried alone, again and again, so that nothing around it is repeated
 * with it.
 */
final class Narrowing {
  private boolean isNarrow;
  private long refusedId;
  private int rows;

  /**
   * A message was refused.
   *
   * @param before how many messages of its batch stand before it and are still to be published
   */
  void refused(OutboxMessage message, int before) {
    isNarrow = true;
    refusedId = message.id();
    rows = Math.max(1, before);
  }

  /** Messages were published and recorded. */
  void recorded(List<OutboxMessage> messages) {
    if (isNarrow && !messages.isEmpty()) {
      rows = 1;
      isNarrow = messages.stream().noneMatch(message -> message.id() == refusedId);
    }
  }

  /** Rows that a pass may read. */
  int rowsMax(int usual) {
    return isNarrow ? Math.min(rows, usual) : usual;
  }

  /**
   * Batches that may be in flight: what follows a refused message must not be on its way when it is
   * tried.
   */
  int batchesMax(int usual) {
    return isNarrow ? 1 : usual;
  }
}
