package io.millrace.relay;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.core.parking.Parking;
import io.millrace.port.LoadedCursor;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a lane between the hand-over and the receipt. A receipt moves only over a gap-free
 * run of acknowledgements, one receipt at a time. After {@link #close} nothing of it is recorded
 * any more.
 */
final class Flight {
  /** A batch that waits this long is told to the operator, in milliseconds. */
  private static final long WAIT_TOLERATED_MS = 5_000;

  private final LaneRelay lane;
  private final ShardRelay shard;
  private final ShardContext context;
  private final PublishStream stream;
  private final Incarnation incarnation;
  private final Deque<Batch> batches = new ArrayDeque<>();

  /** What was on its way when the flight was closed, until somebody has asked what became of it. */
  private List<Batch> left = List.of();

  /** What the receipt that is being written parks. */
  private List<Parking> underWay = List.of();

  private Cursor recorded;
  private long lastReceiptMs = ShardContext.nowMs();
  private Future<?> recording = Future.succeededFuture();
  private boolean isClosed;

  Flight(
      LaneRelay lane,
      ShardRelay shard,
      ShardContext context,
      PublishStream stream,
      LoadedCursor loaded) {
    this.lane = lane;
    this.shard = shard;
    this.context = context;
    this.stream = stream;
    this.incarnation = loaded.incarnation();
    this.recorded = loaded.cursor();
  }

  /** Whether another batch may be read. */
  boolean hasRoom(Narrowing narrowing) {
    int usual = context.config().strictKeyOrder() ? 1 : context.config().batchesInFlightMax();
    return batches.size() < narrowing.batchesMax(usual);
  }

  /** Nothing is on its way and no receipt is being written. */
  boolean isEmpty() {
    return batches.isEmpty() && recording.isComplete();
  }

  /** What it has been waiting for too long, for people; null: nothing. */
  @Nullable String waitingReason(long nowMs) {
    Batch oldest = batches.peek();
    if (oldest == null || nowMs - oldest.handedOverMs() < WAIT_TOLERATED_MS) {
      return null;
    }
    return lane.title()
        + ": the broker has not acknowledged message "
        + oldest.messages().get(0).id()
        + " for "
        + (nowMs - oldest.handedOverMs()) / 1_000
        + " s";
  }

  /** Topics of batches that were handed over before then and are not answered yet. */
  Set<String> unanswered(long beforeMs) {
    Set<String> topics = new HashSet<>();
    for (Batch batch : batches) {
      if (!batch.isSettled() && batch.handedOverMs() <= beforeMs) {
        batch.toPublish().forEach(message -> topics.add(message.topic()));
      }
    }
    return topics;
  }

  /** Keys that a receipt under way, and those of batches on their way, will block. */
  Set<OrderKey> keysToPark() {
    Set<OrderKey> keys = new HashSet<>();
    underWay.forEach(parking -> keys.add(OrderKey.of(parking.message())));
    batches.forEach(batch -> keys.addAll(batch.keysToPark()));
    return keys;
  }

  void handOver(Batch batch) {
    batches.add(batch);
    context.shared().bytes().add(batch.bytes());
    if (batch.toPublish().isEmpty()) {
      batch.settle(PublishOutcome.ACKNOWLEDGED);
      advance();
      return;
    }
    publish(batch.toPublish())
        .onComplete(
            answer -> {
              batch.settle(answer.succeeded() ? answer.result() : unknown(batch, answer.cause()));
              advance();
            });
  }

  private Future<PublishOutcome> publish(List<OutboxMessage> messages) {
    return context.config().strictKeyOrder()
        ? KeyWaves.publish(stream, messages)
        : stream.publish(messages);
  }

  /** A stream does not fail; if one does all the same, nothing is known about its batch. */
  private static PublishOutcome unknown(Batch batch, Throwable cause) {
    OutboxMessage first = batch.toPublish().get(0);
    return new PublishOutcome(
        List.of(new Refusal(first, FailureKind.UNKNOWN_OUTCOME, cause, true)));
  }

  private void advance() {
    if (isClosed || !recording.isComplete()) {
      return;
    }
    List<Batch> run = new ArrayList<>();
    while (!batches.isEmpty() && batches.peek().isAcknowledged() && mayJoin(run)) {
      run.add(leave());
    }
    if (!run.isEmpty()) {
      recordRun(run);
    } else if (!batches.isEmpty() && batches.peek().isSettled()) {
      refuse(batches.element());
    }
  }

  /** A merge is recorded by itself: what comes behind it has left its lane out. */
  private boolean mayJoin(List<Batch> run) {
    return run.isEmpty()
        || (run.get(run.size() - 1).endedLane() == null && batches.element().endedLane() == null);
  }

  private Batch leave() {
    Batch batch = batches.remove();
    context.shared().bytes().remove(batch.bytes());
    return batch;
  }

  private void recordRun(List<Batch> run) {
    Batch last = run.get(run.size() - 1);
    List<OutboxMessage> messages = new ArrayList<>();
    List<Parking> parked = new ArrayList<>();
    long nowMs = ShardContext.nowMs();
    for (Batch batch : run) {
      messages.addAll(batch.messages());
      parked.addAll(batch.parked(batch.messages().size()));
      context.shared().metrics().published(batch.toPublish(), nowMs - batch.handedOverMs());
    }
    record(
        last.after(),
        last.sequence(),
        new Recorded(messages, parked, last.endedLane()),
        version(last),
        this::advance);
  }

  private long version(Batch batch) {
    return lane.isMain() ? batch.laneVersion() : shard.laneVersion();
  }

  /**
   * What was acknowledged before the first refusal is recorded, so that it is not repeated. A
   * message that is refused alone is parked, and passed.
   */
  private void refuse(Batch batch) {
    Refusal refusal = batch.decisiveRefusal();
    int prefix = batch.acknowledgedPrefix();
    int before = batch.indexOf(refusal.message()) - prefix;
    if (batch.endedLane() != null) {
      lane.restart(toFailure(refusal));
    } else if (batch.messages().size() == 1 && lane.parks(refusal)) {
      park(batch, refusal);
    } else if (prefix == 0) {
      lane.onRefused(refusal, before);
    } else {
      record(
          batch.afterPrefix(prefix),
          batch.sequence(),
          new Recorded(batch.messages().subList(0, prefix), batch.parked(prefix), null),
          version(batch),
          () -> lane.onRefused(refusal, before));
    }
  }

  private void park(Batch batch, Refusal refusal) {
    String reason = String.valueOf(refusal.cause().getMessage());
    Parking parking =
        refusal.kind() == FailureKind.TOPIC
            ? Parking.ofLane(refusal.message(), reason)
            : Parking.refused(refusal.message(), reason, 2, lane.overtaken());
    shard.noteBlocked();
    record(
        batch.after(),
        batch.sequence(),
        new Recorded(batch.messages(), List.of(parking), null),
        version(batch),
        () -> lane.onParked(parking));
  }

  /** What a refusal means for the lane, told with the message it met. */
  static Failure toFailure(Refusal refusal) {
    OutboxMessage message = refusal.message();
    return new Failure(
        refusal.kind(),
        "message %s (id %d, %d bytes) for topic %s: %s"
            .formatted(
                message.messageId(),
                message.id(),
                message.bytes(),
                message.topic(),
                refusal.cause().getMessage()),
        refusal.cause());
  }

  /**
   * Now and then also for a lane that has nothing to publish, so that its cursor does not fall
   * behind the ring.
   */
  void recordIdle(Cursor cursor, long sequence, long laneVersion) {
    boolean isDue =
        ShardContext.nowMs() - lastReceiptMs >= context.config().idleReceiptIntervalMs();
    if (isDue && isEmpty() && isAhead(cursor)) {
      record(cursor, sequence, Recorded.NOTHING, laneVersion, () -> {});
    }
  }

  /** The last receipt of a lane that is given back; false: there is nothing to record. */
  boolean recordLast(Cursor cursor, long sequence, long laneVersion) {
    if (isClosed || !isAhead(cursor)) {
      return false;
    }
    record(cursor, sequence, Recorded.NOTHING, laneVersion, () -> {});
    return true;
  }

  private boolean isAhead(Cursor cursor) {
    return cursor.head() > recorded.head() || (cursor.sweep() != null && !cursor.equals(recorded));
  }

  private void record(
      Cursor cursor, long sequence, Recorded what, long laneVersion, Runnable next) {
    underWay = what.parked();
    LongSummaryStatistics ids =
        what.messages().stream().mapToLong(OutboxMessage::id).summaryStatistics();
    boolean isIdle = what.messages().isEmpty();
    Receipt receipt =
        new Receipt(
            shard.shard(),
            lane.name(),
            shard.claim(),
            incarnation,
            shard.nextCounter(),
            cursor,
            sequence,
            what.messages().size(),
            isIdle ? null : (Long) ids.getMin(),
            isIdle ? null : (Long) ids.getMax(),
            what.parked(),
            what.endedLane(),
            laneVersion);
    lastReceiptMs = ShardContext.nowMs();
    Future<ReceiptOutcome> outcome = context.ports().receipts().record(receipt);
    recording = outcome;
    outcome.onComplete(
        answer -> {
          if (isClosed) {
            return;
          }
          if (answer.failed()) {
            // Written or not: loading the newest receipt tells.
            lane.restart(answer.cause());
          } else {
            onOutcome(answer.result(), cursor, what, next);
          }
        });
  }

  private void onOutcome(ReceiptOutcome outcome, Cursor cursor, Recorded what, Runnable next) {
    switch (outcome) {
      case RECORDED -> {
        recorded = cursor;
        underWay = List.of();
        lane.onParkedRecorded(what.parked());
        context.shared().metrics().parked(what.parked());
        next.run();
        if (!isClosed) {
          lane.onRecorded(what);
        }
      }
      case FENCED -> shard.fenced();
      case OTHER_LIFE -> lane.restart(Reading.otherLife());
      case MOVED -> shard.moved(lane);
    }
  }

  /**
   * Messages of a topic that were acknowledged although an earlier one of their key was not.
   * Complete once {@link #close} is; can be asked once.
   */
  List<UUID> overtaken(String topic) {
    List<UUID> overtaken = new ArrayList<>();
    Set<OrderKey> failed = new HashSet<>();
    left.forEach(batch -> overtaken.addAll(batch.overtaken(topic, failed)));
    left = List.of();
    return overtaken;
  }

  /**
   * Hands nothing more over, records nothing more, and completes when all that was handed over is
   * answered and no receipt is being written. What cannot be settled in time is aborted by
   * discarding the producer.
   *
   * @param limitMs that time, at least 1 ms
   */
  Future<Void> close(long limitMs) {
    isClosed = true;
    left = List.copyOf(batches);
    while (!batches.isEmpty()) {
      leave();
    }
    Future<Void> settled =
        stream
            .settle()
            .timeout(limitMs, TimeUnit.MILLISECONDS)
            .recover(late -> context.ports().publisher().discard());
    return Future.join(settled, recording.otherwiseEmpty()).otherwiseEmpty().mapEmpty();
  }
}
