package io.millrace.cluster;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.millrace.client.Addresses;
import io.millrace.core.config.ClusterConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Vertx whose event bus reaches other nodes, and this node's view of who they are. Closing the
 * Vertx leaves the cluster: close it last.
 *
 * <p>May be asked on any thread; no call waits. When nodes come or go this node's verticles are
 * told at {@link Addresses#MEMBERS}, so that they look sooner.
 */
public final class Cluster {
  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
  private static final int PING_MS = 5_000;

  private final Vertx vertx;
  private final HazelcastInstance hazelcast;

  private Cluster(Vertx vertx, HazelcastInstance hazelcast) {
    this.vertx = vertx;
    this.hazelcast = hazelcast;
  }

  /**
   * Makes a Vertx that is part of the cluster. Members that cannot be reached cost seconds each,
   * and then the node is alone until they come. Looks up {@code cluster.host}, which blocks: not to
   * be called on an event loop.
   *
   * @param builder with metrics, a tracer and so on; its options and cluster manager are set here
   * @param options their event bus options are replaced
   * @return failed when an address or port cannot be bound
   */
  public static Future<Cluster> join(
      VertxBuilder builder, VertxOptions options, ClusterConfig config) {
    InetAddress address;
    try {
      address = address(config);
    } catch (UnknownHostException e) {
      return Future.failedFuture(e);
    }
    builder.with(options.setEventBusOptions(eventBus(config, address.getHostAddress())));
    return join(builder, config, address, true)
        .recover(
            cause ->
                cause instanceof IllegalStateException
                    ? alone(builder, config, address)
                    : Future.failedFuture(cause));
  }

  /**
   * A member that takes connections and never answers, such as a frozen one, makes others give up.
   * Then this node begins alone and looks for them from there.
   */
  private static Future<Cluster> alone(
      VertxBuilder builder, ClusterConfig config, InetAddress address) {
    LOG.warn("a member does not answer: begins alone, and goes on looking for others");
    return join(builder, config, address, false);
  }

  private static Future<Cluster> join(
      VertxBuilder builder, ClusterConfig config, InetAddress address, boolean looksFirst) {
    MemberLookup lookup = new MemberLookup(config, looksFirst);
    HazelcastClusterManager hazelcast =
        new HazelcastClusterManager(HazelcastSettings.of(config, address, lookup));
    return builder
        .withClusterManager(hazelcast)
        .buildClustered()
        .onSuccess(vertx -> lookup.open())
        .map(vertx -> new Cluster(vertx, hazelcast.getHazelcastInstance()).watched());
  }

  private static InetAddress address(ClusterConfig config) throws UnknownHostException {
    InetAddress found =
        config.host().isEmpty() && config.findsByDns()
            ? InetAddress.getLocalHost()
            : InetAddress.getByName(config.hostOrLoopback());
    if (found.isAnyLocalAddress()) {
      throw new UnknownHostException(
          "cluster.host must be one address, found " + found.getHostAddress());
    }
    return found;
  }

  private static EventBusOptions eventBus(ClusterConfig config, String address) {
    EventBusOptions options =
        new EventBusOptions()
            .setHost(address)
            .setPort(config.eventBusPort())
            .setClusterPublicHost(config.publicHost().isEmpty() ? address : config.publicHost())
            // A connection that answers no more is given up, with what waits for it.
            .setClusterPingInterval(PING_MS)
            .setClusterPingReplyInterval(PING_MS)
            .setConnectTimeout(PING_MS);
    int publicPort = config.eventBusPublicPort();
    return options.setClusterPublicPort(publicPort == 0 ? config.eventBusPort() : publicPort);
  }

  private Cluster watched() {
    LOG.info("in cluster {} of {} members", hazelcast.getConfig().getClusterName(), members());
    hazelcast
        .getCluster()
        .addMembershipListener(
            new MembershipListener() {
              @Override
              public void memberAdded(MembershipEvent event) {
                changed(event, "has joined");
              }

              @Override
              public void memberRemoved(MembershipEvent event) {
                changed(event, "has left");
              }
            });
    return this;
  }

  /** On a thread of Hazelcast. */
  private void changed(MembershipEvent event, String what) {
    LOG.info("{} {}, {} members", event.getMember().getAddress(), what, event.getMembers().size());
    vertx
        .eventBus()
        .publish(Addresses.MEMBERS, new JsonObject(), new DeliveryOptions().setLocalOnly(true));
  }

  /** To run Millrace in. */
  public Vertx vertx() {
    return vertx;
  }

  /** How many nodes there are, this one included; 0: this one is no member any more. */
  public int members() {
    try {
      return hazelcast.getLifecycleService().isRunning()
          ? hazelcast.getCluster().getMembers().size()
          : 0;
    } catch (HazelcastInstanceNotActiveException e) {
      return 0; // between the two questions
    }
  }
}
