package io.millrace.relay;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.message.OutboxMessage;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How many bytes of all lanes of a node are read but not yet acknowledged. The bound keeps memory
 * independent of the backlog: a pass reserves the most it may read before it begins, so the bound
 * is passed by no more than the one row that crosses the bound of a pass.
 */
final class BytesInFlight {
  /** What a message takes in the heap beside its payload: texts, record, headers, answers. */
  private static final long MESSAGE_BYTES = 2_000;

  private final long max;
  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private long bytes;
  private long reserved;

  BytesInFlight(long max) {
    this.max = max;
  }

  /** What messages take. */
  static long of(List<OutboxMessage> messages) {
    return messages.stream().mapToLong(message -> message.bytes() + MESSAGE_BYTES).sum();
  }

  /** What a pass within the bounds takes at most, but for the row that crosses them. */
  static long most(ReadBounds bounds) {
    return bounds.bytesMax() + bounds.rowsMax() * MESSAGE_BYTES;
  }

  /**
   * Reserves room for a pass. One pass always has room, whatever the bound.
   *
   * @param whenRoom called once when there may be room after all; the same one waits but once
   */
  boolean tryReserve(long more, Runnable whenRoom) {
    if (bytes + reserved > 0 && bytes + reserved + more > max) {
      waiting.add(whenRoom);
      return false;
    }
    waiting.remove(whenRoom);
    reserve(more);
    return true;
  }

  /** Reserves what must not wait for room; it passes the bound for a moment. */
  void reserve(long more) {
    reserved += more;
  }

  /** The pass has ended, and what it found has been added. */
  void unreserve(long less) {
    reserved -= less;
    tellWaiting();
  }

  void add(long more) {
    bytes += more;
  }

  void remove(long less) {
    bytes -= less;
    tellWaiting();
  }

  /** In turn; who has no room after all waits again, behind the others. */
  private void tellWaiting() {
    for (Runnable told : List.copyOf(waiting)) {
      if (bytes + reserved >= max) {
        return;
      }
      waiting.remove(told);
      told.run();
    }
  }

  long bytes() {
    return bytes;
  }
}
