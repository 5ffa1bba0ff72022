package io.millrace.relay;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.client.Addresses;
import io.millrace.client.Nudge;
import io.millrace.client.Watched;
import io.millrace.client.trace.MessageTracer;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.NodeRole;
import io.millrace.membership.Membership;
import io.millrace.membership.NodeIdentity;
import io.millrace.port.Position;
import io.millrace.schedule.Loop;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and publishes the shards that this node owns. It starts when it is a member and can read,
 * and stops when what is in flight is settled, the shards are released, and the node is gone from
 * the database.
 *
 * <p>Nudges over the event bus make a shard look sooner; with the bus down, polling finds
 * everything.
 */
public final class RelayVerticle extends VerticleBase {
  private final NodeIdentity me;
  private final MillraceConfig config;
  private final RelayPorts ports;
  private final MeterRegistry registry;

  @SuppressWarnings("NullAway.Init")
  private Membership membership;

  @SuppressWarnings("NullAway.Init")
  private OwnedShards owned;

  @SuppressWarnings("NullAway.Init")
  private Lookout lookout;

  @SuppressWarnings("NullAway.Init")
  private Loop polling;

  @SuppressWarnings("NullAway.Init")
  private Loop permit;

  @SuppressWarnings("NullAway.Init")
  private List<MessageConsumer<JsonObject>> consumers;

  @SuppressWarnings("NullAway.Init")
  private Watched watched;

  private @Nullable String pollFailure;

  public RelayVerticle(
      NodeIdentity me, MillraceConfig config, RelayPorts ports, MeterRegistry registry) {
    this.me = me;
    this.config = config;
    this.ports = ports;
    this.registry = registry;
  }

  @Override
  public Future<?> start() {
    RelayMetrics metrics = new RelayMetrics(registry);
    BytesInFlight bytes = new BytesInFlight(config.relay().bytesInFlightMax());
    watched = new Watched(vertx);
    membership = new Membership(vertx, ports.shards(), me, NodeRole.RELAY, config.node());
    ShardContext context =
        new ShardContext(
            vertx,
            traced(),
            config.relay(),
            new ShardContext.Shared(
                bytes,
                metrics,
                new Screening(ports.parked(), new ResolveStep(ports.resolvers())),
                new PublishedNotices(watched)),
            membership::isLeaseValid);
    owned = new OwnedShards(me, context, ports.shards());
    lookout =
        new Lookout(
            owned,
            ports.outbox()::waiting,
            new PollDelay(config.relay().pollIntervalMinMs(), config.relay().pollIntervalMaxMs()));
    metrics.gauge("millrace.bytes.in.flight", bytes::bytes);
    polling = new Loop(vertx, this::pollDue, () -> config.relay().pollIntervalMinMs());
    permit = new Loop(vertx, this::askPermit, () -> config.node().heartbeatIntervalMs());
    return membership.join(this::onView, owned::abandonAll).onSuccess(joined -> listen());
  }

  private RelayPorts traced() {
    MessageTracer tracer = MessageTracer.of(vertx);
    return tracer == null
        ? ports
        : ports.withPublisher(new TracedPublisher(ports.publisher(), tracer));
  }

  private void listen() {
    polling.wake();
    permit.wake();
    consumers =
        List.of(
            vertx.eventBus().consumer(Addresses.NUDGE, this::onNudge),
            vertx.eventBus().localConsumer(Addresses.relayStatus(me.name()), this::onStatus),
            vertx.eventBus().localConsumer(Addresses.MEMBERS, members -> membership.hint()));
  }

  private void onView(ClusterView view) {
    owned.follow(view, membership.alive(view), membership::isAlive);
  }

  /**
   * Without an answer the last one holds: a relay and a replication slot at once cost repeats,
   * nothing else.
   */
  private Future<Void> askPermit() {
    return ports
        .permit()
        .refusal()
        .onSuccess(refusal -> owned.rest(refusal.orElse(null)))
        .otherwiseEmpty()
        .mapEmpty();
  }

  private void onNudge(Message<JsonObject> nudge) {
    Nudge.from(nudge.body()).shards().forEach(owned::signal);
  }

  /** One cheap look at the database for all shards that are due. */
  private Future<Void> pollDue() {
    long nowMs = ShardContext.nowMs();
    if (!owned.isAnyDue(nowMs) && !lookout.isDue(nowMs)) {
      return Future.succeededFuture();
    }
    return ports
        .outbox()
        .position()
        .onSuccess(position -> onPosition(position, nowMs))
        .onFailure(
            cause -> {
              pollFailure = "the database does not answer: " + cause.getMessage();
              owned.backOffDue(nowMs);
              lookout.skip(nowMs);
            })
        .compose(position -> lookout.look(position, nowMs))
        .otherwiseEmpty()
        .mapEmpty();
  }

  private void onPosition(Position position, long nowMs) {
    pollFailure = null;
    owned.pollDue(position, nowMs);
  }

  private void onStatus(Message<JsonObject> request) {
    JsonArray reasons = owned.reasons();
    if (!membership.isLeaseValid()) {
      reasons.add("no heartbeat has succeeded for " + config.node().leaseDurationMs() + " ms");
    }
    String failure = pollFailure;
    if (failure != null) {
      reasons.add(failure);
    }
    request.reply(
        new JsonObject()
            .put("ready", reasons.isEmpty())
            .put("reasons", reasons)
            .put("shards", owned.toJson()));
  }

  /**
   * Order: read no more, settle, release, leave. The publisher and the pool are closed by whoever
   * made them.
   */
  @Override
  public Future<?> stop() {
    consumers.forEach(MessageConsumer::unregister);
    watched.close();
    return permit
        .stop()
        .compose(stopped -> polling.stop())
        .compose(stopped -> owned.releaseAll())
        .eventually(membership::leave)
        .otherwiseEmpty();
  }
}
