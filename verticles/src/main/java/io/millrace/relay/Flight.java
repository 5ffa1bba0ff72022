package io.millrace.relay;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.LoadedCursor;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishStream;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a shard between the hand-over and the receipt. A receipt moves only over a
 * gap-free run of acknowledgements, one receipt at a time. After {@link #close} nothing of it is
 * recorded any more.
 */
final class Flight {
  /** A batch that waits this long is told to the operator, in milliseconds. */
  private static final long WAIT_TOLERATED_MS = 5_000;

  private final ShardRelay shard;
  private final ShardContext context;
  private final PublishStream stream;
  private final Incarnation incarnation;
  private final Deque<Batch> batches = new ArrayDeque<>();

  private Cursor recorded;
  private long counter;
  private long lastReceiptMs = ShardContext.nowMs();
  private Future<?> recording = Future.succeededFuture();
  private boolean isClosed;

  Flight(ShardRelay shard, ShardContext context, PublishStream stream, LoadedCursor loaded) {
    this.shard = shard;
    this.context = context;
    this.stream = stream;
    this.incarnation = loaded.incarnation();
    this.recorded = loaded.cursor();
    this.counter = loaded.counter();
  }

  /** Whether another batch may be read. */
  boolean hasRoom(Narrowing narrowing) {
    int batchesMax = narrowing.batchesMax(context.config().batchesInFlightMax());
    return batches.size() < batchesMax && context.shared().bytes().hasRoom();
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
    return "shard "
        + shard.shard()
        + ": the broker has not acknowledged message "
        + oldest.messages().get(0).id()
        + " for "
        + (nowMs - oldest.handedOverMs()) / 1_000
        + " s";
  }

  void handOver(Batch batch) {
    batches.add(batch);
    context.shared().bytes().add(batch.bytes());
    stream
        .publish(batch.messages())
        .onComplete(
            answer -> {
              batch.settle(answer.succeeded() ? answer.result() : unknown(batch, answer.cause()));
              advance();
            });
  }

  /** A stream does not fail; if one does all the same, nothing is known about its batch. */
  private static PublishOutcome unknown(Batch batch, Throwable cause) {
    OutboxMessage first = batch.messages().get(0);
    return new PublishOutcome(
        List.of(new PublishOutcome.Refusal(first, FailureKind.UNKNOWN_OUTCOME, cause, true)));
  }

  private void advance() {
    if (isClosed || !recording.isComplete()) {
      return;
    }
    List<Batch> run = new ArrayList<>();
    while (!batches.isEmpty() && batches.peek().isAcknowledged()) {
      run.add(leave());
    }
    if (!run.isEmpty()) {
      recordRun(run);
    } else if (!batches.isEmpty() && batches.peek().isSettled()) {
      refuse(leave());
    }
  }

  private Batch leave() {
    Batch batch = batches.remove();
    context.shared().bytes().remove(batch.bytes());
    return batch;
  }

  private void recordRun(List<Batch> run) {
    Batch last = run.get(run.size() - 1);
    List<OutboxMessage> messages = new ArrayList<>();
    long nowMs = ShardContext.nowMs();
    for (Batch batch : run) {
      messages.addAll(batch.messages());
      context.shared().metrics().published(batch.messages(), nowMs - batch.handedOverMs());
    }
    record(last.after(), last.sequence(), messages, this::advance);
  }

  /** What was acknowledged before the first refusal is recorded, so that it is not repeated. */
  private void refuse(Batch batch) {
    int prefix = batch.acknowledgedPrefix();
    PublishOutcome.Refusal refusal = batch.decisiveRefusal();
    int before = batch.indexOf(refusal.message()) - prefix;
    if (prefix == 0) {
      shard.onRefused(refusal, before);
      return;
    }
    record(
        batch.afterPrefix(prefix),
        batch.sequence(),
        batch.messages().subList(0, prefix),
        () -> shard.onRefused(refusal, before));
  }

  /**
   * Now and then also for a shard that has nothing to publish, so that its cursor does not fall
   * behind the ring.
   */
  void recordIdle(Cursor cursor, long sequence) {
    boolean isDue =
        ShardContext.nowMs() - lastReceiptMs >= context.config().idleReceiptIntervalMs();
    if (isDue && isEmpty() && isAhead(cursor)) {
      record(cursor, sequence, List.of(), () -> {});
    }
  }

  /** The last receipt of a shard that is given back; false: there is nothing to record. */
  boolean recordLast(Cursor cursor, long sequence) {
    if (isClosed || !isAhead(cursor)) {
      return false;
    }
    record(cursor, sequence, List.of(), () -> {});
    return true;
  }

  private boolean isAhead(Cursor cursor) {
    return cursor.head() > recorded.head() || (cursor.sweep() != null && !cursor.equals(recorded));
  }

  private void record(Cursor cursor, long sequence, List<OutboxMessage> messages, Runnable next) {
    Long firstId =
        messages.isEmpty()
            ? null
            : messages.stream().mapToLong(OutboxMessage::id).min().orElseThrow();
    Long lastId =
        messages.isEmpty()
            ? null
            : messages.stream().mapToLong(OutboxMessage::id).max().orElseThrow();
    Receipt receipt =
        new Receipt(
            shard.shard(),
            Receipt.MAIN_LANE,
            shard.claim(),
            incarnation,
            ++counter,
            cursor,
            sequence,
            messages.size(),
            firstId,
            lastId);
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
            shard.restart(answer.cause());
          } else {
            onOutcome(answer.result(), cursor, messages, next);
          }
        });
  }

  private void onOutcome(
      ReceiptOutcome outcome, Cursor cursor, List<OutboxMessage> messages, Runnable next) {
    switch (outcome) {
      case RECORDED -> {
        recorded = cursor;
        next.run();
        if (!isClosed) {
          shard.onRecorded(messages);
        }
      }
      case FENCED -> shard.onFenced();
      case OTHER_LIFE ->
          shard.restart(
              new Failure(FailureKind.TRANSIENT, "the database server has been restarted", null));
    }
  }

  /**
   * Hands nothing more over, records nothing more, and completes when all that was handed over is
   * answered and no receipt is being written. What cannot be settled in time is aborted by
   * discarding the producer.
   */
  Future<Void> close() {
    isClosed = true;
    while (!batches.isEmpty()) {
      leave();
    }
    Future<Void> settled =
        ShardRelay.within(stream.settle(), context.config().settleTimeoutMs())
            .recover(late -> context.ports().publisher().discard());
    return Future.join(settled, recording.otherwiseEmpty()).otherwiseEmpty().mapEmpty();
  }
}
