package io.millrace.maintenance;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.client.Addresses;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.MaintenanceRow;
import io.millrace.core.lease.NodeCount;
import io.millrace.core.lease.NodeRole;
import io.millrace.membership.Membership;
import io.millrace.membership.NodeIdentity;
import io.millrace.port.BucketStore;
import io.millrace.port.PublishedCheck;
import io.millrace.port.RingStore;
import io.millrace.port.ShardStore;
import io.millrace.schedule.Loop;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the ring and the inbox's buckets while it owns maintenance; one node of an installation
 * does. The others watch, and take over when the owner is gone or dead. Every step is fenced in the
 * database, so two that both believe to be the owner do no harm.
 */
public final class MaintenanceVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(MaintenanceVerticle.class);

  private final NodeIdentity me;
  private final MillraceConfig config;
  private final Ports ports;
  private final MeterRegistry registry;

  @SuppressWarnings("NullAway.Init")
  private Membership membership;

  @SuppressWarnings("NullAway.Init")
  private RingRound round;

  @SuppressWarnings("NullAway.Init")
  private BucketRound bucketRound;

  @SuppressWarnings("NullAway.Init")
  private Loop loop;

  @SuppressWarnings("NullAway.Init")
  private MessageConsumer<JsonObject> status;

  private @Nullable Claim claim;
  private boolean isClaiming;
  private boolean isStopping;

  /** Everything outside that maintenance needs. */
  public record Ports(
      ShardStore shards, RingStore ring, PublishedCheck published, BucketStore buckets) {}

  public MaintenanceVerticle(
      NodeIdentity me, MillraceConfig config, Ports ports, MeterRegistry registry) {
    this.me = me;
    this.config = config;
    this.ports = ports;
    this.registry = registry;
  }

  @Override
  public Future<?> start() {
    membership = new Membership(vertx, ports.shards(), me, NodeRole.MAINTENANCE, config.node());
    round =
        new RingRound(
            ports.ring(),
            ports.published(),
            config.maintenance(),
            config.relay().laneKeepMs(),
            registry);
    bucketRound = new BucketRound(ports.buckets(), config.inbox(), registry);
    loop = new Loop(vertx, this::maintain, () -> config.maintenance().intervalMs());
    return membership
        .join(this::onView, () -> claim = null)
        .onSuccess(
            joined -> {
              loop.wake();
              status =
                  vertx
                      .eventBus()
                      .localConsumer(Addresses.maintenanceStatus(me.name()), this::onStatus);
              vertx.eventBus().localConsumer(Addresses.MEMBERS, members -> membership.hint());
            });
  }

  private void onView(ClusterView view) {
    MaintenanceRow row = view.maintenance();
    UUID owner = row.owner();
    removeDead(view);
    if (claim != null && !me.uuid().equals(owner)) {
      LOG.info("maintenance belongs to another node now");
      claim = null;
    }
    boolean isMine = claim != null;
    boolean isHeld = owner != null && !owner.equals(me.uuid()) && membership.isAlive(owner);
    if (isMine || isHeld || isClaiming || isStopping) {
      return;
    }
    isClaiming = true;
    Long counter = owner == null ? null : view.counterOf(owner).orElse(null);
    // A claim of this node's own whose answer was lost, or that was given up, is claimed again like
    // a
    // dead node's: its counter stands still too, until the next heartbeat.
    ports
        .ring()
        .claim(me.uuid(), row, counter)
        .onSuccess(won -> won.ifPresent(this::begin))
        .onComplete(done -> isClaiming = false);
  }

  private void begin(Claim won) {
    LOG.info("maintaining the ring from now on, epoch {}", won.epoch());
    claim = won;
    loop.wake();
  }

  /** A dead maintenance node's row goes when it owns nothing. */
  private void removeDead(ClusterView view) {
    for (NodeCount node : view.nodes()) {
      boolean isDead = node.role() == NodeRole.MAINTENANCE && !membership.isAlive(node.node());
      if (isDead && !node.node().equals(view.maintenance().owner())) {
        ports
            .shards()
            .remove(node.node(), node.counter())
            .onFailure(
                cause ->
                    LOG.debug("dead node {} was not removed: {}", node.name(), cause.getMessage()));
      }
    }
  }

  private Future<Void> maintain() {
    Claim mine = claim;
    if (mine == null || isStopping || !membership.isLeaseValid()) {
      return Future.succeededFuture();
    }
    // Neither round fails: what stops the one must not keep the other from running.
    return round.run(mine).compose(done -> bucketRound.run(mine));
  }

  private void onStatus(Message<JsonObject> request) {
    JsonArray reasons = new JsonArray();
    if (claim != null) {
      Stream.concat(round.alarms().stream(), Stream.ofNullable(bucketRound.alarm()))
          .forEach(reasons::add);
    }
    request.reply(
        new JsonObject()
            .put("ready", reasons.isEmpty())
            .put("reasons", reasons)
            .put("active", claim != null));
  }

  @Override
  public Future<?> stop() {
    isStopping = true;
    status.unregister();
    return loop.stop()
        .compose(
            stopped -> {
              Claim mine = claim;
              return mine == null ? Future.succeededFuture(false) : ports.ring().release(mine);
            })
        .eventually(membership::leave)
        .otherwiseEmpty();
  }
}
