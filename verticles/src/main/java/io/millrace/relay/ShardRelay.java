package io.millrace.relay;

import io.millrace.core.config.RelayConfig;
import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.retry.Backoff;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Position;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishStream;
import io.millrace.port.Receipt;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relay of one shard under one claim: passes read onward from the cursor, their batches are
 * published in order, several at a time, and receipts follow the gap-free run of acknowledgements.
 * Runs on the verticle's context.
 *
 * <p>Any failure leads to the same place: hand nothing more over, wait until everything in flight
 * is answered, load the cursor from the newest receipt, go on. What was published beyond that
 * receipt is published again. States: {@link ShardState}.
 */
final class ShardRelay {
  private static final Logger LOG = LoggerFactory.getLogger(ShardRelay.class);

  private final int shard;
  private final Claim claim;
  private final ShardContext context;
  private final Runnable onFenced;
  private final ShardHealth health = new ShardHealth();
  private final Backoff backoff;
  private final Promise<Void> stopped = Promise.promise();
  private final PollDelay pollDelay;
  private final Narrowing narrowing = new Narrowing();

  private ShardState state = ShardState.LOADING;

  /** Raised by every restart: answers to what an older one asked are dropped. */
  private int generation;

  private @Nullable Flight flight;
  private Future<Void> closing = Future.succeededFuture();
  private Incarnation incarnation = Incarnation.NONE;
  private Cursor cursor = Cursor.of(new Snapshot("1:1:"), 0);
  private @Nullable Snapshot lastNow;
  private long lastSequence;
  private boolean isReading;

  /** There is, or may be, something to read that no pass has been started for. */
  private boolean wantsRead;

  /** The pass under way was started by the regular look alone. */
  private boolean isPolled;

  /**
   * @param onFenced called once when the shard turns out to belong to somebody else
   */
  ShardRelay(int shard, Claim claim, ShardContext context, Runnable onFenced) {
    this.shard = shard;
    this.claim = claim;
    this.context = context;
    this.onFenced = onFenced;
    RelayConfig config = context.config();
    this.backoff = new Backoff(config.retryDelayMinMs(), config.retryDelayMaxMs());
    this.pollDelay = new PollDelay(config.pollIntervalMinMs(), config.pollIntervalMaxMs());
  }

  int shard() {
    return shard;
  }

  Claim claim() {
    return claim;
  }

  ShardState state() {
    return state;
  }

  /** Why this shard does not move, for people; null: it does. */
  @Nullable String reason() {
    Flight current = flight;
    String waiting = current == null ? null : current.waitingReason(ShardContext.nowMs());
    return health.reason(ShardContext.nowMs(), waiting);
  }

  /** Loads the cursor and begins. */
  void start() {
    state = ShardState.LOADING;
    int mine = ++generation;
    context
        .ports()
        .receipts()
        .load(shard, Receipt.MAIN_LANE)
        .onComplete(
            loaded -> {
              if (mine != generation) {
                return;
              }
              if (loaded.succeeded()) {
                begin(loaded.result());
              } else {
                restart(loaded.cause());
              }
            });
  }

  private void begin(LoadedCursor loaded) {
    if (loaded.isAhead()) {
      breakDown(
          "shard "
              + shard
              + ": the stored cursor has seen transactions that this server has not issued, so this"
              + " is a restored database; nothing is relayed from it");
      return;
    }
    incarnation = loaded.incarnation();
    cursor = loaded.cursor();
    lastNow = null;
    PublishStream stream = context.ports().publisher().open(context.isLeaseValid());
    flight = new Flight(this, context, stream, loaded);
    state = ShardState.RUNNING;
    wantsRead = true;
    pump();
  }

  /** Somebody says that there is something to read. */
  void signal() {
    wantsRead = true;
    isPolled = false;
    pump();
  }

  boolean isPollDue(long nowMs) {
    return state == ShardState.RUNNING && pollDelay.isDue(nowMs);
  }

  /** The regular look had to be left out. */
  void skipPoll() {
    pollDelay.backOff(ShardContext.nowMs());
  }

  /** A regular look: reads if anything has been committed since the last pass. */
  void poll(Position position) {
    pollDelay.backOff(ShardContext.nowMs());
    Flight current = flight;
    if (state != ShardState.RUNNING || current == null) {
      return;
    }
    if (!position.incarnation().isSameAs(incarnation)) {
      restart(new Failure(FailureKind.TRANSIENT, "the database server has been restarted", null));
    } else if (wantsRead || !position.now().equals(lastNow)) {
      isPolled = !wantsRead;
      wantsRead = true;
      pump();
    } else if (!isReading) {
      current.recordIdle(cursor, lastSequence);
    }
  }

  /**
   * Reads on if that is wanted and nothing speaks against it; called whenever either may have
   * changed.
   */
  private void pump() {
    Flight current = flight;
    boolean mayRead =
        state == ShardState.RUNNING && !isReading && context.isLeaseValid().getAsBoolean();
    if (!wantsRead || !mayRead || current == null || !current.hasRoom(narrowing)) {
      return;
    }
    isReading = true;
    wantsRead = false;
    int mine = generation;
    Cursor before = cursor;
    ReadBounds bounds = bounds();
    Read read = before.nextRead(bounds);
    context
        .ports()
        .outbox()
        .read(shard, read, bounds)
        .compose(
            result ->
                context.shared().resolve().resolve(result.messages()).map(result::withMessages))
        .onComplete(
            answer -> {
              if (mine != generation) {
                return;
              }
              isReading = false;
              if (answer.succeeded()) {
                accept(before, read, answer.result(), bounds);
              } else {
                restart(answer.cause());
              }
            });
  }

  private ReadBounds bounds() {
    RelayConfig config = context.config();
    int rows = narrowing.rowsMax(config.batchRowsMax());
    return new ReadBounds(rows, config.batchBytesMax(), config.idsScannedMax());
  }

  private void accept(Cursor before, Read read, ReadResult result, ReadBounds bounds) {
    Flight current = flight;
    if (current == null || !result.incarnation().isSameAs(incarnation)) {
      restart(new Failure(FailureKind.TRANSIENT, "the database server has been restarted", null));
      return;
    }
    cursor = before.after(read, result, bounds);
    lastNow = result.now();
    lastSequence = result.sequence();
    if (before.sweep() == null && cursor.sweep() != null) {
      context.shared().metrics().sweepBegun();
    }
    if (!result.messages().isEmpty()) {
      if (isPolled) {
        pollDelay.found(ShardContext.nowMs());
      }
      current.handOver(new Batch(before, read, result, cursor));
    }
    isPolled = false;
    wantsRead |= cursor.sweep() != null || before.hasMore(result, bounds);
    if (!wantsRead && current.isEmpty()) {
      // No receipt will tell: there is nothing to publish.
      health.recovered();
    }
    pump();
    checkStopped();
  }

  /** A receipt has been written: whatever was wrong is over. */
  void onRecorded(List<OutboxMessage> messages) {
    health.recovered();
    narrowing.recorded(messages);
    pump();
    checkStopped();
  }

  /**
   * The broker, or the hand-over, refused a message: nothing after it counts.
   *
   * @param before how many messages of its batch stand before it and are still to be published
   */
  void onRefused(PublishOutcome.Refusal refusal, int before) {
    OutboxMessage message = refusal.message();
    if (refusal.isForGood()) {
      narrowing.refused(message, before);
    }
    restart(
        new Failure(
            refusal.kind(),
            "message "
                + message.messageId()
                + " (id "
                + message.id()
                + ", "
                + message.bytes()
                + " bytes) for topic "
                + message.topic()
                + ": "
                + refusal.cause().getMessage(),
            refusal.cause()));
  }

  /** The shard belongs to somebody else: nothing more is handed over, read or recorded. */
  void onFenced() {
    LOG.info("shard {}: epoch {} is over", shard, claim.epoch());
    abandon();
    onFenced.run();
  }

  /** Drops everything, because the claim is known to be lost. */
  void abandon() {
    generation++;
    state = ShardState.STOPPED;
    closeFlight();
    stopped.tryComplete();
  }

  /** Settles what is in flight, waits, and loads the cursor again. */
  void restart(Throwable cause) {
    if (state == ShardState.STOPPED || state == ShardState.BROKEN) {
      return;
    }
    boolean wasStopping = state == ShardState.STOPPING;
    int mine = ++generation;
    state = ShardState.WAITING;
    isReading = false;
    FailureKind kind = Failure.kindOf(cause);
    context.shared().metrics().failed(kind);
    health.failed(ShardContext.nowMs(), kind, "shard " + shard + ": " + cause.getMessage());
    if (health.failures() == 1) {
      LOG.warn("shard {}: {}, will go on from the newest receipt", shard, cause.getMessage());
    }
    closeFlight()
        .onComplete(
            settled -> {
              if (mine != generation) {
                return;
              }
              if (wasStopping) {
                abandon();
                return;
              }
              long delayMs =
                  backoff.delayMs(health.failures(), ThreadLocalRandom.current().nextDouble());
              context
                  .vertx()
                  .setTimer(
                      delayMs,
                      timer -> {
                        if (mine == generation) {
                          start();
                        }
                      });
            });
  }

  private void breakDown(String reason) {
    LOG.error(reason);
    generation++;
    state = ShardState.BROKEN;
    health.failed(ShardContext.nowMs(), FailureKind.BROKEN, reason);
    closeFlight();
  }

  /**
   * A shard that is given back while it waits is given back only when its last flight is settled.
   */
  private Future<Void> closeFlight() {
    Flight old = flight;
    flight = null;
    if (old != null) {
      closing = old.close();
    }
    return closing;
  }

  /**
   * Reads no more, settles what is in flight, writes its receipt. Completes within about the settle
   * time-out; the claim may be released then.
   */
  Future<Void> stop() {
    if (state != ShardState.RUNNING) {
      generation++;
      state = ShardState.STOPPED;
      return closeFlight();
    }
    state = ShardState.STOPPING;
    context
        .vertx()
        .setTimer(
            context.config().settleTimeoutMs(),
            timer -> {
              if (state == ShardState.STOPPING) {
                restart(
                    new Failure(
                        FailureKind.UNKNOWN_OUTCOME,
                        "not settled within relay.settle_timeout_ms",
                        null));
              }
            });
    checkStopped();
    return stopped.future();
  }

  private void checkStopped() {
    Flight current = flight;
    if (state != ShardState.STOPPING || isReading || current == null || !current.isEmpty()) {
      return;
    }
    if (!current.recordLast(cursor, lastSequence)) {
      abandon();
    }
  }

  /** Milliseconds that anything in flight may take when a stream is closed. */
  static <T> Future<T> within(Future<T> work, long limitMs) {
    return work.timeout(limitMs, TimeUnit.MILLISECONDS);
  }
}
