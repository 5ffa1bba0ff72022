package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import java.util.List;
import java.util.UUID;

/**
 * How a lane goes on after the broker has refused a message: what stands before it is published by
 * itself, then that message is tried alone. A broker may refuse a message for its neighbours' sake:
 * only one that is refused alone as well is at fault, and nothing around it is repeated with it.
 */
final class Narrowing {
  private static final long NOTHING_REFUSED = -1;

  private boolean isNarrow;
  private long refusedId;
  private int rows;
  private List<UUID> overtaken = List.of();

  /**
   * A message was refused.
   *
   * @param before how many messages of its batch stand before it and are still to be published
   */
  void refused(OutboxMessage message, int before) {
    if (!isNarrow || refusedId != message.id()) {
      overtaken = List.of();
    }
    isNarrow = true;
    refusedId = message.id();
    rows = Math.max(1, before);
  }

  /**
   * A quarantined topic is tried with one message: what a broker does not answer must not fill the
   * producer that all share.
   */
  void probe() {
    if (!isNarrow) {
      isNarrow = true;
      refusedId = NOTHING_REFUSED;
      rows = 1;
    }
  }

  /** Later messages of the refused one's key that had been acknowledged by then. */
  void overtook(List<UUID> messageIds) {
    if (!messageIds.isEmpty()) {
      overtaken = List.copyOf(messageIds);
    }
  }

  List<UUID> overtaken() {
    return overtaken;
  }

  /** Whether this message has been refused before. */
  boolean isTried(OutboxMessage message) {
    return isNarrow && refusedId == message.id();
  }

  /** What was refused does not concern this lane any more. */
  void forget() {
    isNarrow = false;
    overtaken = List.of();
  }

  /** Messages were published, or parked, and recorded. */
  void recorded(List<OutboxMessage> messages) {
    if (isNarrow && !messages.isEmpty()) {
      rows = 1;
      if (refusedId == NOTHING_REFUSED
          || messages.stream().anyMatch(message -> message.id() == refusedId)) {
        forget();
      }
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
