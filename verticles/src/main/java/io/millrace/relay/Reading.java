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
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.core.parking.Parking;
import io.millrace.core.parking.Sift;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Position;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a lane onward from its cursor, one pass at a time, whenever that is wanted and nothing
 * speaks against it, and hands what it finds to the flight.
 */
final class Reading {
  private final LaneRelay lane;
  private final ShardRelay shard;
  private final ShardContext context;
  private final PollDelay pollDelay;
  private final Narrowing narrowing = new Narrowing();

  /** Keys parked by receipts since the pass under way has looked up which keys are blocked. */
  private final Set<OrderKey> parkedSince = new HashSet<>();

  private final Runnable whenRoom = this::pump;

  private Incarnation incarnation = Incarnation.NONE;
  private Cursor cursor = Cursor.of(new Snapshot("1:1:"), 0);
  private @Nullable Snapshot lastNow;
  private long lastSequence;

  /** Of the lanes whose topics the cursor has left out. */
  private long laneVersion;

  private boolean isReading;
  private boolean isHeld;

  /** The last pass has read everything there was. */
  private boolean isNear;

  /** There is, or may be, something to read that no pass has been started for. */
  private boolean wantsRead;

  /** The pass under way was started by the regular look alone. */
  private boolean isPolled;

  /** What one pass found. */
  record Pass(Cursor before, Read read, ReadBounds bounds, ReadResult result, long laneVersion) {}

  Reading(LaneRelay lane, ShardRelay shard, ShardContext context) {
    this.lane = lane;
    this.shard = shard;
    this.context = context;
    RelayConfig config = context.config();
    this.pollDelay = new PollDelay(config.pollIntervalMinMs(), config.pollIntervalMaxMs());
  }

  /** Begins from a loaded cursor; what an earlier pass may still bring is dropped by the lane. */
  void begin(LoadedCursor loaded) {
    incarnation = loaded.incarnation();
    cursor = loaded.cursor();
    laneVersion = loaded.heldBack().laneVersion();
    lastNow = null;
    isReading = false;
    isHeld = false;
    isNear = false;
    wantsRead = true;
    if (!lane.isMain()) {
      narrowing.probe();
    }
    pump();
  }

  Incarnation incarnation() {
    return incarnation;
  }

  Cursor cursor() {
    return cursor;
  }

  Narrowing narrowing() {
    return narrowing;
  }

  boolean isReading() {
    return isReading;
  }

  boolean isIdle() {
    return !isReading && !wantsRead && !isHeld;
  }

  boolean isNear() {
    return isNear;
  }

  void hold() {
    isHeld = true;
  }

  void release() {
    isHeld = false;
    pump();
  }

  /** The cursor is moved by a batch that no pass of this lane has read. */
  void moveTo(Cursor merged) {
    cursor = merged;
    lastNow = merged.seen();
  }

  /**
   * That batch is recorded: from here on nothing of the lane is left out any more.
   *
   * @return false when passes have gone on meanwhile, which have left it out: load again
   */
  boolean merged(Cursor merged, long version) {
    if (isReading || !cursor.equals(merged)) {
      return false;
    }
    laneVersion = version;
    return true;
  }

  /** The version that a receipt for the cursor has to name. */
  long laneVersion() {
    return lane.isMain() ? laneVersion : shard.laneVersion();
  }

  void signal() {
    wantsRead = true;
    isPolled = false;
    pump();
  }

  boolean isPollDue(long nowMs) {
    return pollDelay.isDue(nowMs);
  }

  void skipPoll() {
    pollDelay.backOff(ShardContext.nowMs());
  }

  void poll(Position position) {
    pollDelay.backOff(ShardContext.nowMs());
    Flight flight = lane.flight();
    if (!lane.isRunning() || flight == null) {
      return;
    }
    if (!position.incarnation().isSameAs(incarnation)) {
      lane.restart(otherLife());
    } else if (wantsRead || !position.now().equals(lastNow)) {
      isPolled = !wantsRead;
      wantsRead = true;
      pump();
    } else if (!isReading) {
      flight.recordIdle(cursor, lastSequence, laneVersion());
    }
  }

  static Failure otherLife() {
    return new Failure(FailureKind.TRANSIENT, "the database server has been restarted", null);
  }

  /**
   * Reads on if that is wanted and nothing speaks against it; called whenever either may have
   * changed.
   */
  private void pump() {
    Flight flight = lane.flight();
    boolean mayRead =
        lane.isRunning() && !isReading && !isHeld && context.isLeaseValid().getAsBoolean();
    if (!wantsRead || !mayRead || flight == null || !flight.hasRoom(narrowing)) {
      return;
    }
    ReadBounds bounds = bounds();
    long reserved = BytesInFlight.most(bounds);
    if (!context.shared().bytes().tryReserve(reserved, whenRoom)) {
      return;
    }
    isReading = true;
    wantsRead = false;
    parkedSince.clear();
    int mine = lane.generation();
    long version = laneVersion;
    Cursor before = cursor;
    Read read = before.nextRead(bounds);
    context
        .ports()
        .outbox()
        .read(shard.shard(), shard.scope(lane), read, bounds)
        .compose(result -> screened(new Pass(before, read, bounds, result, version)))
        .onComplete(
            answer -> {
              if (mine == lane.generation()) {
                isReading = false;
                onAnswer(answer);
              }
              // Now that the flight counts what was read.
              context.shared().bytes().unreserve(reserved);
            });
  }

  private void onAnswer(AsyncResult<Runnable> answer) {
    if (answer.succeeded()) {
      answer.result().run();
    } else {
      lane.restart(answer.cause());
    }
  }

  private Future<Runnable> screened(Pass pass) {
    List<OutboxMessage> messages = pass.result().messages();
    return context
        .shared()
        .screening()
        .screen(shard.shard(), shard.hasBlocked(), messages)
        .map(screened -> () -> accept(pass, screened));
  }

  ReadBounds bounds() {
    RelayConfig config = context.config();
    int rows = narrowing.rowsMax(config.batchRowsMax());
    return new ReadBounds(rows, config.batchBytesMax(), config.idsScannedMax());
  }

  private void accept(Pass pass, Screening.Screened screened) {
    Flight flight = lane.flight();
    ReadResult result = pass.result();
    if (flight == null || !result.incarnation().isSameAs(incarnation)) {
      lane.restart(otherLife());
      return;
    }
    Cursor before = pass.before();
    cursor = before.after(pass.read(), result, pass.bounds());
    lastNow = result.now();
    lastSequence = result.sequence();
    if (before.sweep() == null && cursor.sweep() != null) {
      context.shared().metrics().sweepBegun();
    }
    if (!result.messages().isEmpty()) {
      if (isPolled) {
        pollDelay.found(ShardContext.nowMs());
      }
      flight.handOver(new Batch(pass, cursor, sift(screened, flight), pass.laneVersion()));
    }
    isPolled = false;
    boolean hasMore = cursor.sweep() != null || before.hasMore(result, pass.bounds());
    isNear = !hasMore;
    wantsRead |= hasMore;
    if (!wantsRead && flight.isEmpty()) {
      // No receipt will tell: there is nothing to publish. In a database that is never quiet every
      // look finds a new snapshot and comes here.
      lane.onNothing();
      flight.recordIdle(cursor, lastSequence, laneVersion());
    }
    pump();
    lane.progressed();
  }

  /** Also behind what batches on their way will park: no lookup can have found that. */
  private Sift sift(Screening.Screened screened, Flight flight) {
    String drained = lane.drained();
    Set<OrderKey> blocked = new HashSet<>(parkedSince);
    blocked.addAll(screened.blocked());
    blocked.addAll(flight.keysToPark());
    Sift sift =
        drained == null
            ? Sift.of(screened.messages(), blocked, screened.hopeless())
            : Sift.drained(screened.messages(), drained);
    if (!sift.park().isEmpty()) {
      shard.noteBlocked();
    }
    return sift;
  }

  /** A lookup that began before may not have seen them. */
  void onParkedRecorded(List<Parking> parked) {
    parked.forEach(parking -> parkedSince.add(OrderKey.of(parking.message())));
  }

  void onRecorded(Recorded recorded) {
    narrowing.recorded(recorded.messages());
    pump();
  }

  /** The last receipt of a lane that is given back; false: there is nothing to record. */
  boolean recordLast() {
    Flight flight = lane.flight();
    return flight != null && flight.recordLast(cursor, lastSequence, laneVersion());
  }
}
