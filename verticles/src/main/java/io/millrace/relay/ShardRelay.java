package io.millrace.relay;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Scope;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.port.LaneOpening;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Position;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.ReplayTask;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relay of one shard under one claim: its main lane, a lane for each quarantined topic, what is
 * parked, and what is published once more. Runs on the verticle's context.
 *
 * <p>Which lanes there are is in the database; the main lane loads it with its cursor, and so skips
 * exactly their topics.
 */
final class ShardRelay {
  private static final Logger LOG = LoggerFactory.getLogger(ShardRelay.class);

  /** Each costs a pass of its own; an application that invents topics must not cost more. */
  static final int LANES_MAX = 32;

  private final int shard;
  private final Claim claim;
  private final ShardContext context;
  private final Runnable onFenced;
  private final LaneRelay main;
  private final Map<String, LaneRelay> lanes = new TreeMap<>();
  private final Redriver redriver;
  private final Replayer replayer;

  private @Nullable MergeRun merging;
  private long counter;
  private long laneVersion;
  private boolean hasBlocked;

  /**
   * @param onFenced called once when the shard turns out to belong to somebody else
   */
  ShardRelay(int shard, Claim claim, ShardContext context, Runnable onFenced) {
    this.shard = shard;
    this.claim = claim;
    this.context = context;
    this.onFenced = onFenced;
    this.main = new LaneRelay(Scope.MAIN, this, context);
    this.redriver = new Redriver(this, context);
    this.replayer = new Replayer(this, context);
  }

  int shard() {
    return shard;
  }

  Claim claim() {
    return claim;
  }

  ShardState state() {
    return main.state();
  }

  /** Why this shard does not move, for people; null: it does. A quarantined topic is no reason. */
  @Nullable String reason() {
    return main.reason();
  }

  Collection<LaneRelay> lanes() {
    return lanes.values();
  }

  /** Loads the cursor and begins. */
  void start() {
    main.start();
  }

  /** Somebody says that there is something to read. */
  void signal() {
    all().forEach(LaneRelay::signal);
  }

  boolean isPollDue(long nowMs) {
    return all().anyMatch(lane -> lane.isPollDue(nowMs));
  }

  /** The main lane reads nothing, and would if there were something. */
  boolean isIdle() {
    return main.isIdle();
  }

  /** Up to where the main lane has read. */
  long head() {
    return main.cursor().head();
  }

  /** The regular look had to be left out. */
  void skipPoll() {
    all().forEach(LaneRelay::skipPoll);
  }

  /** A regular look: reads if anything has been committed since the last pass. */
  void poll(Position position) {
    long nowMs = ShardContext.nowMs();
    all().filter(lane -> lane.isPollDue(nowMs)).toList().forEach(lane -> lane.poll(position));
    if (hasBlocked && main.isRunning()) {
      redriver.look();
    }
  }

  /** Whether it can take a replay's task. */
  boolean mayReplay() {
    return main.isRunning() && replayer.isFree();
  }

  void replay(ReplayTask task) {
    replayer.begin(task);
  }

  /** The main lane has nothing left that it has not begun to publish. */
  boolean isKeepingUp() {
    return main.isRunning() && main.isNear();
  }

  private Stream<LaneRelay> all() {
    return Stream.concat(Stream.of(main), List.copyOf(lanes.values()).stream());
  }

  /** What a lane reads. */
  Scope scope(LaneRelay lane) {
    return lane.isMain() ? Scope.main(lanes.keySet()) : Scope.lane(lane.name());
  }

  /** The counter of the next receipt, whichever lane's: a second life of a lane starts above. */
  long nextCounter() {
    return ++counter;
  }

  /** Of the lanes as the main lane has loaded them, and of this owner's own merges since. */
  long laneVersion() {
    return laneVersion;
  }

  Incarnation incarnation() {
    return main.incarnation();
  }

  List<String> quarantined() {
    return List.copyOf(lanes.keySet());
  }

  boolean hasBlocked() {
    return hasBlocked;
  }

  /** Something is parked, or will be by a receipt on its way. */
  void noteBlocked() {
    hasBlocked = true;
  }

  /** A lane has loaded its cursor. The main lane's answer tells which lanes there are. */
  void loaded(LaneRelay lane, LoadedCursor loaded) {
    counter = Math.max(counter, loaded.counter());
    if (!lane.isMain()) {
      return;
    }
    // Never lowered: a lane's receipt that parks something may be on its way.
    hasBlocked |= loaded.heldBack().hasBlocked();
    laneVersion = loaded.heldBack().laneVersion();
    List<String> topics = loaded.heldBack().lanes();
    for (String gone : lanes.keySet().stream().filter(t -> !topics.contains(t)).toList()) {
      LaneRelay ended = lanes.remove(gone);
      if (ended != null) {
        ended.abandon();
      }
    }
    for (String topic : topics) {
      if (!lanes.containsKey(topic)) {
        LaneRelay added = new LaneRelay(topic, this, context);
        lanes.put(topic, added);
        added.start();
      }
    }
  }

  /** Topics that have left records unanswered since then. */
  Set<String> unanswered(long sinceMs) {
    Set<String> topics = new TreeSet<>(redriver.unanswered(sinceMs));
    topics.addAll(replayer.unanswered(sinceMs));
    all().filter(LaneRelay::isRunning).forEach(lane -> topics.addAll(lane.unanswered(sinceMs)));
    return topics;
  }

  /**
   * A topic does not answer although the brokers work. In the main lane it gets a lane of its own;
   * a lane that has it waits until it is well, or is drained.
   */
  void quarantine(String topic, String reason) {
    for (LaneRelay lane : all().toList()) {
      boolean mayAct = !lane.isMain() || mayOpenLane();
      if (mayAct && lane.isRunning() && lane.unanswered(Long.MAX_VALUE).contains(topic)) {
        lane.quarantine(topic, reason);
      }
    }
    redriver.quarantine(topic);
    replayer.quarantine(topic);
  }

  boolean mayOpenLane() {
    return lanes.size() < LANES_MAX;
  }

  /** Nothing of the main lane is in flight; it loads its cursor when the lane is open. */
  Future<ReceiptOutcome> openLane(String topic, String reason, List<UUID> overtaken) {
    LOG.warn("shard {}: topic {} gets a lane of its own: {}", shard, topic, reason);
    context.shared().metrics().laneOpened();
    return context
        .ports()
        .receipts()
        .openLane(
            new LaneOpening(shard, claim, incarnation(), nextCounter(), topic, reason, overtaken));
  }

  /** A lane has read everything there was. */
  void near(LaneRelay lane) {
    if (merging == null && main.isRunning()) {
      MergeRun run = new MergeRun(this, main, lane, context);
      merging = run;
      run.advance();
    }
  }

  /** Something has been recorded, or a pass has ended. */
  void progressed() {
    MergeRun run = merging;
    if (run != null) {
      run.advance();
    }
  }

  /** A lane has failed and will load its cursor again: what was to be merged has changed. */
  void restarting(LaneRelay lane) {
    MergeRun run = merging;
    if (run != null && lane.isMain()) {
      run.giveUp();
    } else if (run != null && run.concerns(lane)) {
      run.giveUpUnlessPublishing();
    }
  }

  void mergeIsOver() {
    merging = null;
  }

  /** The receipt that ends a lane has been recorded. */
  void merged(String topic) {
    LOG.info("shard {}: topic {} is back in the main lane", shard, topic);
    laneVersion++;
    MergeRun run = merging;
    LaneRelay lane = lanes.remove(topic);
    if (run != null) {
      run.giveUp();
    }
    if (lane != null) {
      lane.abandon();
    }
    redriver.hasten();
  }

  /** The shard's lanes are others than those that were loaded: an unknown outcome has come true. */
  void moved(LaneRelay lane) {
    Failure moved =
        new Failure(
            FailureKind.TRANSIENT,
            "the lanes of the shard have changed since they were loaded",
            null);
    lane.restart(moved);
    if (!lane.isMain() && main.isRunning()) {
      main.restart(moved);
    }
  }

  /** The shard belongs to somebody else: nothing more is handed over, read or recorded. */
  void fenced() {
    LOG.info("shard {}: epoch {} is over", shard, claim.epoch());
    abandon();
    onFenced.run();
  }

  /** Drops everything, because the claim is known to be lost. */
  void abandon() {
    all().forEach(LaneRelay::abandon);
    redriver.end();
    replayer.end();
  }

  /** The main lane has found an invariant broken: nothing of the shard moves any more. */
  void broken() {
    List.copyOf(lanes.values()).forEach(LaneRelay::abandon);
    redriver.end();
    replayer.end();
  }

  /**
   * Reads no more, settles what is in flight, writes its receipts. Completes within about the
   * settle time-out; the claim may be released then.
   */
  Future<Void> stop() {
    MergeRun run = merging;
    if (run != null) {
      run.giveUpUnlessPublishing();
    }
    List<Future<Void>> ends = new ArrayList<>();
    all().forEach(lane -> ends.add(lane.stop()));
    ends.add(redriver.end());
    ends.add(replayer.stop());
    return Future.join(ends).otherwiseEmpty().mapEmpty();
  }
}
