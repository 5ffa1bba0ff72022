package io.millrace.cluster;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.client.Addresses;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Says how this node stands in its cluster: at {@link Addresses#clusterStatus} and as the gauge
 * {@code millrace.cluster.members}. It is always ready: without the cluster everything is
 * delivered, by polling, so what is wrong is a warning.
 */
public final class ClusterVerticle extends VerticleBase {
  private static final String ALONE =
      "this node is alone: nudges and commands do not reach other nodes, which find work by"
          + " polling";
  private static final String LEFT =
      "this node's member has been shut down: nudges and commands do not leave this node, and work"
          + " is found by polling, until the process is started again";

  private final Cluster cluster;
  private final String nodeId;
  private final MeterRegistry registry;
  private @Nullable Meter gauge;

  public ClusterVerticle(Cluster cluster, String nodeId, MeterRegistry registry) {
    this.cluster = cluster;
    this.nodeId = nodeId;
    this.registry = registry;
  }

  @Override
  public Future<?> start() {
    gauge =
        Gauge.builder("millrace.cluster.members", cluster, Cluster::members)
            .description("nodes in the cluster as this one sees it; 0: it is no member any more")
            .strongReference(true)
            .register(registry);
    vertx.eventBus().localConsumer(Addresses.clusterStatus(nodeId), this::onStatus);
    return Future.succeededFuture();
  }

  private void onStatus(Message<JsonObject> request) {
    int members = cluster.members();
    JsonArray warnings = new JsonArray();
    if (members <= 1) {
      warnings.add(members == 0 ? LEFT : ALONE);
    }
    request.reply(new JsonObject().put("ready", true).put("warnings", warnings));
  }

  @Override
  public Future<?> stop() {
    Meter registered = gauge;
    if (registered != null) {
      registry.remove(registered);
    }
    return Future.succeededFuture();
  }
}
