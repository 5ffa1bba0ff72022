package io.millrace.relay;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.PublishOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one pass found, on its way to the broker. */
final class Batch {
  private final Cursor before;
  private final Read read;
  private final ReadResult result;
  private final Cursor after;
  private final long handedOverMs = ShardContext.nowMs();
  private @Nullable PublishOutcome outcome;

  Batch(Cursor before, Read read, ReadResult result, Cursor after) {
    this.before = before;
    this.read = read;
    this.result = result;
    this.after = after;
  }

  List<OutboxMessage> messages() {
    return result.messages();
  }

  /** The cursor once every message of the batch is acknowledged. */
  Cursor after() {
    return after;
  }

  long sequence() {
    return result.sequence();
  }

  long handedOverMs() {
    return handedOverMs;
  }

  long bytes() {
    return result.bytes();
  }

  void settle(PublishOutcome outcome) {
    this.outcome = outcome;
  }

  boolean isSettled() {
    return outcome != null;
  }

  boolean isAcknowledged() {
    return outcome != null && outcome.isAcknowledged();
  }

  /**
   * The refusal that must be gone before the batch can pass: the first one of a message or topic,
   * for the others may be its consequences; else the first.
   *
   * @throws IllegalStateException if nothing was refused
   */
  PublishOutcome.Refusal decisiveRefusal() {
    List<PublishOutcome.Refusal> refusals = refusals();
    if (refusals.isEmpty()) {
      throw new IllegalStateException("nothing of the batch was refused");
    }
    return refusals.stream()
        .filter(PublishOutcome.Refusal::isForGood)
        .findFirst()
        .orElse(refusals.get(0));
  }

  private List<PublishOutcome.Refusal> refusals() {
    PublishOutcome settled = outcome;
    return settled == null ? List.of() : settled.refusals();
  }

  /** How many messages stand before the first one that was not acknowledged. */
  int acknowledgedPrefix() {
    return refusals().isEmpty() ? messages().size() : indexOf(refusals().get(0).message());
  }

  int indexOf(OutboxMessage message) {
    int index = 0;
    while (messages().get(index).id() != message.id()) {
      index++;
    }
    return index;
  }

  /** The cursor once the first messages are acknowledged, and no more: at least one. */
  Cursor afterPrefix(int count) {
    return before.afterPrefix(read, result, messages().get(count - 1).id());
  }
}
