package io.millrace.membership;

import io.millrace.core.config.NodeConfig;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.Lease;
import io.millrace.core.lease.Liveness;
import io.millrace.core.lease.NodeCount;
import io.millrace.core.lease.NodeRole;
import io.millrace.port.ShardStore;
import io.millrace.schedule.Loop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers a node, advances its heartbeat counter, and looks at the others. Correctness rests on
 * this and the database alone, never on the cluster manager. Runs on the verticle's context.
 *
 * <pre>
 *   joined --(removed by others as dead)--> rejoined under the same identity, every claim given up
 * </pre>
 */
public final class Membership {
  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
  private static final long NANOS_PER_MS = 1_000_000;

  /**
   * A look counts for at most this many heartbeat intervals of silence: time without own heartbeats
   * does not count.
   */
  private static final int COUNTED_INTERVALS_MAX = 2;

  private final Vertx vertx;
  private final long leaseMs;
  private final ShardStore store;
  private final NodeIdentity me;
  private final NodeRole role;
  private final Lease lease;
  private final Liveness liveness;
  private final Loop loop;

  private Consumer<ClusterView> onView = view -> {};
  private Runnable onRemoved = () -> {};
  private long lastLookMs = -1;
  private boolean isFailing;
  private boolean isHintDue;

  public Membership(
      Vertx vertx, ShardStore store, NodeIdentity me, NodeRole role, NodeConfig config) {
    this.vertx = vertx;
    this.leaseMs = config.leaseDurationMs();
    this.store = store;
    this.me = me;
    this.role = role;
    this.lease = new Lease(config.leaseDurationMs());
    this.liveness =
        new Liveness(
            config.leaseDurationMs(), COUNTED_INTERVALS_MAX * config.heartbeatIntervalMs());
    this.loop = new Loop(vertx, this::beat, config::heartbeatIntervalMs);
  }

  /**
   * Registers and begins to beat; completes after the first successful look.
   *
   * @param onView called after every successful look
   * @param onRemoved called when others have removed this node as dead: whatever it owned may be
   *     theirs by now
   */
  public Future<Void> join(Consumer<ClusterView> onView, Runnable onRemoved) {
    this.onRemoved = onRemoved;
    return store
        .register(me.uuid(), me.name(), role)
        .compose(registered -> beatOnce())
        .onSuccess(
            done -> {
              this.onView = onView;
              loop.wake();
            });
  }

  /** Whether this node may still act as an owner, by its own clock. */
  public boolean isLeaseValid() {
    return lease.isValid(nowMs());
  }

  /** The live nodes of this node's role. */
  public Set<UUID> alive(ClusterView view) {
    return view.nodes().stream()
        .filter(n -> n.role() == role && liveness.isAlive(n.node()))
        .map(NodeCount::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  public boolean isAlive(UUID node) {
    return liveness.isAlive(node);
  }

  /** Looks at once, after a hint that something has changed. */
  public void wake() {
    loop.wake();
  }

  /**
   * Nodes may have come or gone: looks at once, and again when a node that fell silent now may be
   * called dead. The hint itself calls nobody dead, and a wrong one costs two looks.
   */
  public void hint() {
    loop.wake();
    if (!isHintDue) {
      isHintDue = true;
      vertx.setTimer(
          leaseMs,
          due -> {
            isHintDue = false;
            loop.wake();
          });
    }
  }

  /** Stops beating and removes this node; shards must have been released before. */
  public Future<Void> leave() {
    return loop.stop()
        .compose(stopped -> store.remove(me.uuid(), null))
        .onComplete(removed -> lease.lose())
        .mapEmpty();
  }

  private Future<Void> beat() {
    return beatOnce()
        .onSuccess(ok -> isFailing = false)
        .onFailure(this::reportOnce)
        .otherwiseEmpty();
  }

  private void reportOnce(Throwable cause) {
    if (!isFailing) {
      LOG.warn("{}: no heartbeat: {}", me.name(), cause.getMessage());
    }
    isFailing = true;
  }

  private Future<Void> beatOnce() {
    long sentAtMs = nowMs();
    return store.heartbeat(me.uuid()).compose(known -> known ? lookSince(sentAtMs) : rejoin());
  }

  private Future<Void> lookSince(long sentAtMs) {
    return store
        .view()
        .map(
            view -> {
              liveness.look(view, lastLookMs < 0 ? 0 : sentAtMs - lastLookMs);
              lastLookMs = sentAtMs;
              onView.accept(view);
              // Only now: what the view shows as lost has been dropped.
              lease.renew(sentAtMs);
              return null;
            });
  }

  private Future<Void> rejoin() {
    LOG.warn("{}: removed by others as dead, joining again", me.name());
    lease.lose();
    onRemoved.run();
    return store.register(me.uuid(), me.name(), role);
  }

  private static long nowMs() {
    return System.nanoTime() / NANOS_PER_MS;
  }
}
