package io.millrace.relay;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Merge;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.core.parking.Parking;
import io.millrace.core.parking.Sift;
import io.millrace.port.PublishOutcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** What one pass found, or two of them that merge a lane: on its way to the broker or to parked. */
final class Batch {
  private final List<OutboxMessage> messages;
  private final long sequence;
  private final Cursor after;
  private final Sift sift;
  private final @Nullable LongFunction<Cursor> afterPrefix;
  private final @Nullable String endedLane;
  private final long laneVersion;
  private final long bytes;
  private final long handedOverMs = ShardContext.nowMs();
  private @Nullable PublishOutcome outcome;

  /**
   * A pass.
   *
   * @param laneVersion of the lanes that it left out
   */
  Batch(Reading.Pass pass, Cursor after, Sift sift, long laneVersion) {
    Cursor before = pass.before();
    Read read = pass.read();
    ReadResult result = pass.result();
    this.laneVersion = laneVersion;
    this.messages = result.messages();
    this.sequence = result.sequence();
    this.after = after;
    this.sift = sift;
    this.afterPrefix = lastId -> before.afterPrefix(read, result, lastId);
    this.endedLane = null;
    this.bytes = BytesInFlight.of(messages);
  }

  /** What is left of two lanes: recorded as a whole or not at all. */
  Batch(Merge merge, long sequence, Sift sift, String endedLane, long laneVersion) {
    this.laneVersion = laneVersion;
    this.messages = merge.messages();
    this.sequence = sequence;
    this.after = merge.cursor();
    this.sift = sift;
    this.afterPrefix = null;
    this.endedLane = endedLane;
    this.bytes = BytesInFlight.of(messages);
  }

  long laneVersion() {
    return laneVersion;
  }

  /** All of it, published or parked, in id order. */
  List<OutboxMessage> messages() {
    return messages;
  }

  List<OutboxMessage> toPublish() {
    return sift.publish();
  }

  /** The cursor once every message of the batch is acknowledged or parked. */
  Cursor after() {
    return after;
  }

  long sequence() {
    return sequence;
  }

  @Nullable String endedLane() {
    return endedLane;
  }

  long handedOverMs() {
    return handedOverMs;
  }

  long bytes() {
    return bytes;
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

  /** How many messages stand before the first one that was not acknowledged; none of a merge. */
  int acknowledgedPrefix() {
    if (refusals().isEmpty()) {
      return messages.size();
    }
    return afterPrefix == null ? 0 : indexOf(refusals().get(0).message());
  }

  int indexOf(OutboxMessage message) {
    int index = 0;
    while (messages.get(index).id() != message.id()) {
      index++;
    }
    return index;
  }

  /** The cursor once the first messages are acknowledged or parked, and no more: at least one. */
  Cursor afterPrefix(int count) {
    LongFunction<Cursor> cut = afterPrefix;
    if (cut == null) {
      throw new IllegalStateException("a merge is recorded as a whole");
    }
    return cut.apply(messages.get(count - 1).id());
  }

  /** What of the first messages is to be parked. */
  List<Parking> parked(int count) {
    if (count == 0) {
      return List.of();
    }
    long lastId = messages.get(count - 1).id();
    return sift.park().stream().filter(parking -> parking.message().id() <= lastId).toList();
  }

  Set<OrderKey> keysToPark() {
    Set<OrderKey> keys = new HashSet<>();
    sift.park().forEach(parking -> keys.add(OrderKey.of(parking.message())));
    return keys;
  }

  /**
   * Messages of a topic that were acknowledged although an earlier one of their key was not.
   *
   * @param failed keys of which a message of an earlier batch was not acknowledged; this batch's
   *     are added
   */
  List<UUID> overtaken(String topic, Set<OrderKey> failed) {
    PublishOutcome settled = outcome;
    if (settled == null) {
      return List.of();
    }
    Set<Long> refused = new HashSet<>();
    settled.refusals().forEach(refusal -> refused.add(refusal.message().id()));
    List<UUID> overtaken = new ArrayList<>();
    for (OutboxMessage message : sift.publish()) {
      OrderKey key = OrderKey.of(message);
      if (!message.topic().equals(topic)) {
        continue;
      }
      if (refused.contains(message.id())) {
        failed.add(key);
      } else if (failed.contains(key)) {
        overtaken.add(message.messageId());
      }
    }
    return overtaken;
  }
}
