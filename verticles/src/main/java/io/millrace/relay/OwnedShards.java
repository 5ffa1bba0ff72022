package io.millrace.relay;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.NodeCount;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardPlan;
import io.millrace.core.lease.ShardRow;
import io.millrace.membership.NodeIdentity;
import io.millrace.port.Position;
import io.millrace.port.ShardStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shards of this node: claims them, gives them back, and passes on what concerns them. */
final class OwnedShards implements Lookout.Shards {
  private static final Logger LOG = LoggerFactory.getLogger(OwnedShards.class);

  private static final long TELL_INTERVAL_MS = 2_000;

  private final NodeIdentity me;
  private final ShardContext context;
  private final ShardStore store;
  private final StallWatch stalls;
  private final ReplayWatch replays;
  private final Map<Integer, ShardRelay> relays = new TreeMap<>();

  /** Claims and releases of one view are done before the next view is followed. */
  private Future<Void> following = Future.succeededFuture();

  private boolean isStopping;

  /** Why this node must own nothing; null: it may. */
  private @Nullable String resting;

  OwnedShards(NodeIdentity me, ShardContext context, ShardStore store) {
    this.me = me;
    this.context = context;
    this.store = store;
    this.stalls = new StallWatch(context);
    this.replays = new ReplayWatch(context);
  }

  /** Acts on what a look found: drops what was lost, gives back and claims what the plan says. */
  void follow(ClusterView view, Set<UUID> alive, Predicate<UUID> isAlive) {
    if (isStopping || !following.isComplete()) {
      return;
    }
    dropLost(view);
    ShardPlan plan =
        resting == null
            ? ShardPlan.of(me.uuid(), alive, view.shards())
            : new ShardPlan(List.of(), List.copyOf(relays.keySet()));
    List<Future<Void>> work = new ArrayList<>();
    view.shards().stream().filter(this::isOrphan).forEach(s -> work.add(releaseOrphan(s)));
    relays.values().stream()
        .filter(r -> plan.release().contains(r.shard()))
        .toList()
        .forEach(r -> work.add(release(r)));
    plan.claim().forEach(s -> work.add(claim(s, view)));
    view.nodes().stream().filter(n -> isGone(n, view, isAlive)).forEach(n -> work.add(remove(n)));
    following = Future.join(work).otherwiseEmpty().mapEmpty();
  }

  /**
   * With a reason, gives everything back at the next look, and claims nothing until there is none.
   */
  void rest(@Nullable String reason) {
    if (reason != null && resting == null) {
      LOG.error("gives its shards back and claims none: {}", reason);
    } else if (reason == null && resting != null) {
      LOG.info("may publish again");
    }
    resting = reason;
  }

  private void dropLost(ClusterView view) {
    for (ShardRow row : view.shards()) {
      ShardRelay relay = relays.get(row.shard());
      if (relay != null && !relay.claim().token().equals(row.token())) {
        LOG.info("shard {} belongs to another node now", row.shard());
        relays.remove(row.shard());
        relay.abandon();
      }
    }
  }

  /**
   * A claim of this node's whose answer was lost, or that was given up when others had called the
   * node dead.
   */
  private boolean isOrphan(ShardRow row) {
    return me.uuid().equals(row.owner()) && !relays.containsKey(row.shard());
  }

  private Future<Void> releaseOrphan(ShardRow row) {
    UUID token = row.token();
    return token == null
        ? Future.succeededFuture()
        : store.release(row.shard(), new Claim(token, row.epoch())).otherwise(false).mapEmpty();
  }

  private Future<Void> claim(ShardRow row, ClusterView view) {
    UUID owner = row.owner();
    Long counter = owner == null ? null : view.counterOf(owner).orElse(null);
    return store
        .claim(me.uuid(), row, counter)
        .onSuccess(claim -> claim.ifPresent(won -> begin(row.shard(), won)))
        .onFailure(
            cause -> LOG.debug("shard {} was not claimed: {}", row.shard(), cause.getMessage()))
        .otherwiseEmpty()
        .mapEmpty();
  }

  private void begin(int shard, Claim claim) {
    context.shared().metrics().claimed();
    ShardRelay relay = new ShardRelay(shard, claim, context, () -> relays.remove(shard));
    relays.put(shard, relay);
    relay.start();
  }

  private Future<Void> release(ShardRelay relay) {
    return relay
        .stop()
        .eventually(() -> store.release(relay.shard(), relay.claim()))
        .otherwiseEmpty()
        .onComplete(done -> relays.remove(relay.shard(), relay))
        .mapEmpty();
  }

  /** A dead node's row goes when all its shards have been taken over. */
  private static boolean isGone(NodeCount node, ClusterView view, Predicate<UUID> isAlive) {
    return node.role() == NodeRole.RELAY
        && !isAlive.test(node.node())
        && view.shards().stream().noneMatch(s -> node.node().equals(s.owner()));
  }

  private Future<Void> remove(NodeCount node) {
    return store.remove(node.node(), node.counter()).otherwise(false).mapEmpty();
  }

  @Override
  public void signal(int shard) {
    ShardRelay relay = relays.get(shard);
    if (relay != null) {
      relay.signal();
    }
  }

  @Override
  public Map<Integer, Long> idleHeadsBelow(long sequence) {
    Map<Integer, Long> heads = new TreeMap<>();
    for (ShardRelay relay : relays.values()) {
      if (relay.isIdle() && relay.head() < sequence) {
        heads.put(relay.shard(), relay.head());
      }
    }
    return heads;
  }

  boolean isAnyDue(long nowMs) {
    return relays.values().stream().anyMatch(r -> r.isPollDue(nowMs));
  }

  void pollDue(Position position, long nowMs) {
    due(nowMs).forEach(r -> r.poll(position));
    stalls.look(List.copyOf(relays.values()));
    replays.look(List.copyOf(relays.values()));
  }

  void backOffDue(long nowMs) {
    due(nowMs).forEach(ShardRelay::skipPoll);
  }

  private List<ShardRelay> due(long nowMs) {
    return relays.values().stream().filter(r -> r.isPollDue(nowMs)).toList();
  }

  /** Others have called this node dead: its claims may be theirs by now. */
  void abandonAll() {
    relays.values().forEach(ShardRelay::abandon);
    relays.clear();
  }

  Future<Void> releaseAll() {
    isStopping = true;
    Future<Void> released =
        following.compose(
            done ->
                Future.join(List.copyOf(relays.values()).stream().map(this::release).toList())
                    .mapEmpty());
    tellUntil(released);
    return released;
  }

  /** Whoever waits for a stop wants to know what for. */
  private void tellUntil(Future<Void> released) {
    context
        .vertx()
        .setTimer(
            TELL_INTERVAL_MS,
            timer -> {
              if (!released.isComplete()) {
                LOG.info("waits until shards {} are settled", relays.keySet());
                tellUntil(released);
              }
            });
  }

  /** Why shards do not move; empty: all do. */
  JsonArray reasons() {
    JsonArray reasons = new JsonArray();
    if (resting != null) {
      reasons.add(resting);
    }
    relays.values().stream().map(ShardRelay::reason).filter(r -> r != null).forEach(reasons::add);
    return reasons;
  }

  JsonArray toJson() {
    JsonArray shards = new JsonArray();
    for (ShardRelay relay : relays.values()) {
      shards.add(
          new JsonObject()
              .put("shard", relay.shard())
              .put("epoch", relay.claim().epoch())
              .put("state", relay.state().name().toLowerCase(java.util.Locale.ROOT))
              .put("reason", relay.reason())
              .put("lanes", lanes(relay)));
    }
    return shards;
  }

  /** Quarantined topics, and why each still has a lane of its own. */
  private static JsonArray lanes(ShardRelay relay) {
    JsonArray lanes = new JsonArray();
    for (LaneRelay lane : relay.lanes()) {
      lanes.add(new JsonObject().put("topic", lane.name()).put("reason", lane.reason()));
    }
    return lanes;
  }
}
