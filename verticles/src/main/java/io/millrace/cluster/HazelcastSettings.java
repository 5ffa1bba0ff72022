package io.millrace.cluster;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.ClassFilter;
import com.hazelcast.config.Config;
import com.hazelcast.config.DiscoveryStrategyConfig;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MultiMapConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.spi.properties.ClusterProperty;
import com.hazelcast.spi.properties.HazelcastProperty;
import io.millrace.core.config.ClusterConfig;
import java.net.InetAddress;

/**
 * Hazelcast's configuration: what the section {@code cluster} says, and bounds on everything that
 * waits. No multicast, no guessing of networks, no calls home, no door for clients.
 */
final class HazelcastSettings {
  /** Silent for longer, a member is taken for gone. */
  static final int SILENCE_SECONDS_MAX = 20;

  /** Longest wait for a connection to a member, or for its word while a node starts. */
  private static final int CONNECT_SECONDS_MAX = 3;

  /** Not begun any more after that long is another round of asking, which takes up to 13 s. */
  private static final int JOIN_SECONDS_MAX = 12;

  private static final int HEARTBEAT_SECONDS = 2;

  /** How soon, and how often, the halves of a split cluster look for each other. */
  private static final int MERGE_SECONDS = 10;

  /** Nothing here is worth a longer farewell: others republish what they have. */
  private static final int FAREWELL_SECONDS_MAX = 3;

  /** Longest wait for a look at who listens. */
  private static final int CALL_MS_MAX = 10_000;

  /** The names under which Vert.x keeps what all nodes share. */
  private static final String SUBSCRIPTIONS = "__vertx.subs";

  private HazelcastSettings() {}

  /**
   * Translates.
   *
   * @param bound the address to bind
   */
  static Config of(ClusterConfig cluster, InetAddress bound, MemberLookup lookup) {
    Config config = new Config().setClusterName(cluster.name());
    bound(config);
    set(config, ClusterProperty.WAIT_SECONDS_BEFORE_JOIN, cluster.joinWaitSeconds());
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig().setEnabled(true);
    network.setMemberEndpointConfig(endpoint(cluster));
    network
        .getMemberAddressProviderConfig()
        .setEnabled(true)
        .setImplementation(new MemberAddress(cluster, bound));
    find(network.getJoin(), lookup);
    config.addMultiMapConfig(
        new MultiMapConfig(SUBSCRIPTIONS)
            .setBackupCount(1)
            .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    config.getSerializationConfig().setJavaSerializationFilterConfig(known());
    config.getManagementCenterConfig().setScriptingEnabled(false);
    return config;
  }

  private static ServerSocketEndpointConfig endpoint(ClusterConfig cluster) {
    ServerSocketEndpointConfig endpoint = new ServerSocketEndpointConfig();
    endpoint.setPort(cluster.port()).setPortAutoIncrement(false);
    endpoint.setSocketConnectTimeoutSeconds(CONNECT_SECONDS_MAX);
    return endpoint;
  }

  private static void find(JoinConfig join, MemberLookup lookup) {
    join.getMulticastConfig().setEnabled(false);
    join.getAutoDetectionConfig().setEnabled(false);
    join.getTcpIpConfig().setConnectionTimeoutSeconds(CONNECT_SECONDS_MAX);
    join.getDiscoveryConfig().addDiscoveryStrategyConfig(new DiscoveryStrategyConfig(lookup));
  }

  private static void bound(Config config) {
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    // Vert.x leaves the cluster when it is closed, after everything has been drained.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    set(config, ClusterProperty.SOCKET_BIND_ANY, false);
    set(config, ClusterProperty.DISCOVERY_SPI_ENABLED, true);
    set(config, ClusterProperty.MAX_JOIN_SECONDS, JOIN_SECONDS_MAX);
    set(config, ClusterProperty.HEARTBEAT_INTERVAL_SECONDS, HEARTBEAT_SECONDS);
    set(config, ClusterProperty.MAX_NO_HEARTBEAT_SECONDS, SILENCE_SECONDS_MAX);
    set(config, ClusterProperty.MERGE_FIRST_RUN_DELAY_SECONDS, MERGE_SECONDS);
    set(config, ClusterProperty.MERGE_NEXT_RUN_DELAY_SECONDS, MERGE_SECONDS);
    set(config, ClusterProperty.GRACEFUL_SHUTDOWN_MAX_WAIT, FAREWELL_SECONDS_MAX);
    set(config, ClusterProperty.OPERATION_CALL_TIMEOUT_MILLIS, CALL_MS_MAX);
    set(config, ClusterProperty.HEALTH_MONITORING_LEVEL, "OFF");
    set(config, ClusterProperty.METRICS_ENABLED, false);
  }

  private static void set(Config config, HazelcastProperty property, Object value) {
    config.setProperty(property.getName(), value.toString());
  }

  /** Members send each other objects: only Hazelcast's own, Vert.x's, and plain values. */
  private static JavaSerializationFilterConfig known() {
    return new JavaSerializationFilterConfig()
        .setDefaultsDisabled(true)
        .setWhitelist(
            new ClassFilter()
                .addPrefixes("com.hazelcast.", "io.vertx.spi.cluster.hazelcast.", "[")
                .addPackages("java.lang", "java.util"));
  }
}
