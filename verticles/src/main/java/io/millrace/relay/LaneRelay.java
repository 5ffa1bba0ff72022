package io.millrace.relay;

import io.millrace.core.config.RelayConfig;
import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Merge;
import io.millrace.core.cursor.Scope;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.parking.Parking;
import io.millrace.core.retry.Backoff;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Position;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.millrace.port.Publisher.Ailment;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lane of a shard, the main one or a quarantined topic's: passes read onward from its cursor,
 * their batches are published in order, several at a time, and receipts follow the gap-free run of
 * acknowledgements.
 *
 * <p>Any failure leads to the same place: hand nothing more over, wait until everything in flight
 * is answered, load the cursor from the newest receipt, go on. What was published beyond that
 * receipt is published again. In between a topic that cannot be published to gets a lane of its
 * own. States: {@link ShardState}.
 */
final class LaneRelay {
  private static final Logger LOG = LoggerFactory.getLogger(LaneRelay.class);

  /** Of many parked messages one is told in so many milliseconds; the table has them all. */
  private static final long PARKED_LOG_INTERVAL_MS = 1_000;

  private final String name;
  private final ShardRelay shard;
  private final ShardContext context;
  private final String title;
  private final ShardHealth health = new ShardHealth();
  private final Backoff backoff;
  private final Promise<Void> stopped = Promise.promise();
  private final Reading reading;

  private ShardState state = ShardState.LOADING;

  /** Raised by every restart: answers to what an older one asked are dropped. */
  private int generation;

  private @Nullable Flight flight;
  private Future<Void> closing = Future.succeededFuture();
  private @Nullable Trouble trouble;

  /** Where a merge that is being published leads. */
  private Cursor merging = Cursor.of(new Snapshot("1:1:"), 0);

  private long parkedLoggedMs = ShardContext.nowMs() - PARKED_LOG_INTERVAL_MS;

  /** A stop has waited as long as it may: what is in flight is not waited for once more. */
  private boolean isOutOfTime;

  /** The lane is to be drained, as loaded. */
  private boolean mayDrain;

  /** Why everything that is read is parked; null: it is published. */
  private @Nullable String drained;

  /**
   * What repeating alone does not mend.
   *
   * @param kind of one message or of its whole topic
   */
  private record Trouble(FailureKind kind, String topic, String reason, boolean isStalled) {}

  /**
   * @param name {@link Scope#MAIN} or the topic
   */
  LaneRelay(String name, ShardRelay shard, ShardContext context) {
    this.name = name;
    this.shard = shard;
    this.context = context;
    this.title = "shard " + shard.shard() + (isMain() ? "" : ", lane " + name);
    RelayConfig config = context.config();
    this.backoff = new Backoff(config.retryDelayMinMs(), config.retryDelayMaxMs());
    this.reading = new Reading(this, shard, context);
  }

  String name() {
    return name;
  }

  String title() {
    return title;
  }

  boolean isMain() {
    return name.equals(Scope.MAIN);
  }

  ShardState state() {
    return state;
  }

  boolean isRunning() {
    return state == ShardState.RUNNING;
  }

  Incarnation incarnation() {
    return reading.incarnation();
  }

  Cursor cursor() {
    return reading.cursor();
  }

  @Nullable Flight flight() {
    return flight;
  }

  int generation() {
    return generation;
  }

  /** Why it does not move, for people; null: it does. */
  @Nullable String reason() {
    Flight current = flight;
    String waiting = current == null ? null : current.waitingReason(ShardContext.nowMs());
    String parking = drained;
    return parking != null
        ? title + ": parked, because " + parking
        : health.reason(ShardContext.nowMs(), waiting);
  }

  /** Loads the cursor and begins. */
  void start() {
    state = ShardState.LOADING;
    int mine = ++generation;
    context
        .ports()
        .receipts()
        .load(shard.shard(), name)
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
          title
              + ": the stored cursor has seen transactions that this server has not issued, so this"
              + " is a restored database; nothing is relayed from it");
      return;
    }
    PublishStream stream = context.ports().publisher().open(context.isLeaseValid());
    flight = new Flight(this, shard, context, stream, loaded);
    mayDrain = loaded.heldBack().draining().contains(name);
    state = ShardState.RUNNING;
    shard.loaded(this, loaded);
    reading.begin(loaded);
  }

  void signal() {
    reading.signal();
  }

  boolean isPollDue(long nowMs) {
    return isRunning() && reading.isPollDue(nowMs);
  }

  void skipPoll() {
    reading.skipPoll();
  }

  void poll(Position position) {
    reading.poll(position);
  }

  /** Why what is read is parked instead of published; null: it is not. */
  @Nullable String drained() {
    return drained;
  }

  /** Topics that have left records unanswered since then. */
  Set<String> unanswered(long sinceMs) {
    Flight current = flight;
    return current == null ? Set.of() : current.unanswered(sinceMs);
  }

  /** The last pass has read everything there was. */
  boolean isNear() {
    return reading.isNear();
  }

  /** Nothing is being read, on its way or being recorded. */
  boolean isQuiet() {
    Flight current = flight;
    return isRunning() && !reading.isReading() && current != null && current.isEmpty();
  }

  /** Reads nothing, and would if there were something. */
  boolean isIdle() {
    return isRunning() && reading.isIdle();
  }

  /** Reads nothing more until {@link #release}. */
  void hold() {
    reading.hold();
  }

  void release() {
    reading.release();
  }

  /** See {@link Reading#onParkedRecorded}. */
  void onParkedRecorded(List<Parking> parked) {
    reading.onParkedRecorded(parked);
  }

  long laneVersion() {
    return reading.laneVersion();
  }

  /** Publishes what is left of this main lane and of another one, which ends with it. */
  void publish(Merge merge, Batch batch) {
    reading.moveTo(merge.cursor());
    merging = merge.cursor();
    Flight current = flight;
    if (current != null) {
      current.handOver(batch);
    }
  }

  /** A receipt has been written: whatever was wrong is over. */
  void onRecorded(Recorded recorded) {
    health.recovered();
    String ended = recorded.endedLane();
    boolean isWhole = ended == null || reading.merged(merging, shard.laneVersion() + 1);
    reading.onRecorded(recorded);
    context.shared().notices().tell(recorded);
    if (ended != null) {
      shard.merged(ended);
    }
    if (isWhole) {
      progressed();
    } else {
      restart(new Failure(FailureKind.TRANSIENT, "a pass went on beside a merge", null));
    }
  }

  /** A pass has ended without anything to publish. */
  void onNothing() {
    health.recovered();
  }

  /** Something has ended: a stop or a merge may have waited for it. */
  void progressed() {
    checkStopped();
    shard.progressed();
    if (isRunning() && !isMain() && reading.isNear()) {
      if (drained == null) {
        shard.near(this);
      } else if (isQuiet() && !reading.recordLast()) {
        probe();
      }
    }
  }

  /** A drained lane asks now and then whether its topic can be published to again. */
  private void probe() {
    int mine = ++generation;
    state = ShardState.WAITING;
    closeFlight()
        .compose(closed -> context.ports().publisher().probe(name))
        .compose(there -> context.ports().publisher().ailing(List.of(name)))
        .compose(LaneRelay::wellOrFailed)
        .onComplete(
            probed -> {
              if (mine != generation) {
                return;
              }
              if (probed.succeeded()) {
                drained = null;
                start();
              } else {
                startAfter(context.config().retryDelayMaxMs());
              }
            });
  }

  private static Future<Void> wellOrFailed(Map<String, Ailment> ailing) {
    return ailing.isEmpty()
        ? Future.succeededFuture()
        : Future.failedFuture(new Failure(FailureKind.TOPIC, ailing.toString(), null));
  }

  /**
   * The broker, or the hand-over, refused a message: nothing after it counts.
   *
   * @param before how many messages of its batch stand before it and are still to be published
   */
  void onRefused(Refusal refused, int before) {
    if (refused.isForGood()) {
      reading.narrowing().refused(refused.message(), before);
      trouble =
          new Trouble(
              refused.kind(),
              refused.message().topic(),
              String.valueOf(refused.cause().getMessage()),
              false);
    }
    restart(Flight.toFailure(refused));
  }

  /**
   * A topic leaves records unanswered: what is in flight is settled or given up, then it splits.
   */
  void quarantine(String topic, String reason) {
    trouble = new Trouble(FailureKind.TOPIC, topic, reason, true);
    restart(new Failure(FailureKind.TOPIC, "topic " + topic + ": " + reason, null));
  }

  /** Whether a message that was refused alone, and for good, is to be parked. */
  boolean parks(Refusal refused) {
    boolean isHopeless =
        refused.kind() == FailureKind.MESSAGE
            || (refused.kind() == FailureKind.TOPIC && isMain() && !shard.mayOpenLane());
    return isHopeless && reading.narrowing().isTried(refused.message());
  }

  /** What was acknowledged of a refused message's key although it comes later. */
  List<UUID> overtaken() {
    return reading.narrowing().overtaken();
  }

  /** The refused message is parked. Its stream is broken: a fresh one goes on behind it. */
  void onParked(Parking parked) {
    long nowMs = ShardContext.nowMs();
    if (nowMs - parkedLoggedMs >= PARKED_LOG_INTERVAL_MS) {
      parkedLoggedMs = nowMs;
      LOG.warn("{}: parked: {}", title, parked.reason());
    }
    health.recovered();
    reading.narrowing().forget();
    boolean wasStopping = state == ShardState.STOPPING;
    int mine = ++generation;
    state = ShardState.WAITING;
    shard.restarting(this);
    closeFlight()
        .onComplete(
            settled -> {
              if (mine != generation) {
                return;
              }
              if (wasStopping) {
                abandon();
              } else {
                start();
              }
            });
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
    shard.restarting(this);
    FailureKind kind = Failure.kindOf(cause);
    context.shared().metrics().failed(kind);
    health.failed(ShardContext.nowMs(), kind, title + ": " + cause.getMessage());
    if (health.failures() == 1) {
      LOG.warn("{}: {}, will go on from the newest receipt", title, cause.getMessage());
    }
    Trouble met = trouble;
    trouble = null;
    Flight old = flight;
    closeFlight()
        .onComplete(
            settled -> {
              if (mine != generation) {
                return;
              }
              if (wasStopping) {
                abandon();
              } else if (met != null && old != null) {
                onSettled(met, old);
              } else {
                startLater();
              }
            });
  }

  /** Everything that was in flight is answered: now it is known what overtook the refused one. */
  private void onSettled(Trouble met, Flight old) {
    reading.narrowing().overtook(old.overtaken(met.topic()));
    if (met.kind() != FailureKind.TOPIC) {
      startLater();
    } else if (isMain() && shard.mayOpenLane()) {
      openLane(met);
    } else if (met.isStalled()) {
      awaitWell(met.reason());
    } else {
      drainIfItMay(met.reason());
      startLater();
    }
  }

  private void drainIfItMay(String reason) {
    if (mayDrain) {
      drained = reason;
      reading.narrowing().forget();
    }
  }

  /**
   * A topic that leaves records unanswered is asked about instead of being tried: a record that
   * waits in the producer can be had back only by discarding it.
   */
  private void awaitWell(String reason) {
    int mine = generation;
    context
        .vertx()
        .setTimer(
            context.config().retryDelayMaxMs(),
            timer -> {
              if (mine == generation) {
                askWhetherWell(reason);
              }
            });
  }

  private void askWhetherWell(String reason) {
    int mine = generation;
    Future<Map<String, Ailment>> ailing = context.ports().publisher().ailing(List.of(name));
    Future<LoadedCursor> loaded = context.ports().receipts().load(shard.shard(), name);
    Future.join(ailing, loaded)
        .onComplete(
            both -> {
              if (mine != generation) {
                return;
              }
              boolean isWell = ailing.succeeded() && !ailing.result().containsKey(name);
              mayDrain = loaded.succeeded() && loaded.result().heldBack().draining().contains(name);
              if (isWell) {
                start();
              } else if (mayDrain) {
                drainIfItMay(reason);
                start();
              } else {
                awaitWell(reason);
              }
            });
  }

  private void openLane(Trouble met) {
    int mine = generation;
    shard
        .openLane(met.topic(), met.reason(), overtaken())
        .onComplete(
            opened -> {
              if (mine != generation) {
                return;
              }
              if (opened.failed()) {
                startLater();
                return;
              }
              switch (opened.result()) {
                case RECORDED -> {
                  reading.narrowing().forget();
                  start();
                }
                case FENCED -> shard.fenced();
                case OTHER_LIFE, MOVED -> startLater();
              }
            });
  }

  private void startLater() {
    startAfter(backoff.delayMs(health.failures(), ThreadLocalRandom.current().nextDouble()));
  }

  private void startAfter(long delayMs) {
    int mine = generation;
    context
        .vertx()
        .setTimer(
            delayMs,
            timer -> {
              if (mine == generation) {
                start();
              }
            });
  }

  private void breakDown(String reason) {
    LOG.error(reason);
    generation++;
    state = ShardState.BROKEN;
    health.failed(ShardContext.nowMs(), FailureKind.BROKEN, reason);
    closeFlight();
    shard.broken();
  }

  /**
   * A lane that is given back while it waits is given back only when its last flight is settled.
   */
  private Future<Void> closeFlight() {
    Flight old = flight;
    flight = null;
    if (old != null) {
      closing = old.close(isOutOfTime ? 1 : context.config().settleTimeoutMs());
    }
    return closing;
  }

  /** See {@link ShardRelay#stop}. */
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
                isOutOfTime = true;
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
    boolean isSettled =
        state == ShardState.STOPPING
            && !reading.isReading()
            && current != null
            && current.isEmpty();
    if (isSettled && !reading.recordLast()) {
      abandon();
    }
  }
}
