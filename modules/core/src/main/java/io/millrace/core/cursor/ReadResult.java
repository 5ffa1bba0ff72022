package io.millrace.core.cursor;

import io.millrace.core.message.OutboxMessage;
import java.util.List;

/**
 * What one pass found.
 *
 * @param now the snapshot of the statement
 * @param sequence the outbox sequence's value, read in the statement after its snapshot was taken:
 *     at least every id that the snapshot sees
 * @param incarnation which life of the server answered
 * @param lateTo the late range was scanned up to here; equals the cursor's head when there was none
 *     or it is done
 * @param newTo ids above the head were scanned up to here
 * @param messages in id order
 */
public record ReadResult(
    Snapshot now,
    long sequence,
    Incarnation incarnation,
    long lateTo,
    long newTo,
    List<OutboxMessage> messages) {

  public ReadResult {
    messages = List.copyOf(messages);
  }

  /** The same answer with other messages: those that a resolver filled. */
  public ReadResult withMessages(List<OutboxMessage> resolved) {
    return new ReadResult(now, sequence, incarnation, lateTo, newTo, resolved);
  }

  public long bytes() {
    return messages.stream().mapToLong(OutboxMessage::bytes).sum();
  }

  /** Whether a bound may have cut the answer off, so that nothing is known beyond its last row. */
  boolean isCut(ReadBounds bounds) {
    return messages.size() >= bounds.rowsMax() || bytes() >= bounds.bytesMax();
  }

  long lastId() {
    return messages.get(messages.size() - 1).id();
  }
}
