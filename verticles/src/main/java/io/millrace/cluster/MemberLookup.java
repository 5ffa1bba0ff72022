package io.millrace.cluster;

import com.hazelcast.cluster.Address;
import com.hazelcast.config.properties.PropertyDefinition;
import com.hazelcast.logging.ILogger;
import com.hazelcast.spi.discovery.AbstractDiscoveryStrategy;
import com.hazelcast.spi.discovery.DiscoveryNode;
import com.hazelcast.spi.discovery.DiscoveryStrategy;
import com.hazelcast.spi.discovery.DiscoveryStrategyFactory;
import com.hazelcast.spi.discovery.SimpleDiscoveryNode;
import io.millrace.core.config.ClusterConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where other members may be: looked up anew whenever Hazelcast asks, at its start and while it
 * looks for the rest of a cluster that fell apart, since names change their addresses. Called on
 * threads of Hazelcast.
 */
final class MemberLookup implements DiscoveryStrategyFactory {
  private static final Logger LOG = LoggerFactory.getLogger(MemberLookup.class);

  private final List<String> servers;
  private volatile boolean isOpen;

  /**
   * @param isOpen whether it finds anybody from the beginning
   */
  MemberLookup(ClusterConfig config, boolean isOpen) {
    this.servers =
        config.findsByDns()
            ? List.of(config.kubernetesServiceDns() + ":" + config.port())
            : config.memberList();
    this.isOpen = isOpen;
  }

  /** From now on it finds others. */
  void open() {
    isOpen = true;
  }

  @Override
  public Class<? extends DiscoveryStrategy> getDiscoveryStrategyType() {
    return Strategy.class;
  }

  @Override
  @SuppressWarnings("rawtypes") // as Hazelcast has it
  public DiscoveryStrategy newDiscoveryStrategy(
      DiscoveryNode node, ILogger logger, Map<String, Comparable> properties) {
    return new Strategy(this, logger, properties);
  }

  @Override
  public @Nullable Collection<PropertyDefinition> getConfigurationProperties() {
    return List.of();
  }

  private List<DiscoveryNode> look() {
    List<DiscoveryNode> found = new ArrayList<>();
    if (isOpen) {
      servers.forEach(server -> look(server, found));
    }
    return found;
  }

  /** Every address that a name has: a headless service has one for each node. */
  private static void look(String server, List<DiscoveryNode> found) {
    int colon = server.lastIndexOf(':');
    String host = server.substring(0, colon);
    int port = Integer.parseInt(server.substring(colon + 1));
    try {
      Arrays.stream(InetAddress.getAllByName(host))
          .forEach(address -> found.add(new SimpleDiscoveryNode(new Address(address, port))));
    } catch (UnknownHostException e) {
      // Names come and go with the nodes behind them: the next look may find it.
      LOG.debug("no member at {}: {}", server, e.getMessage());
    }
  }

  private static final class Strategy extends AbstractDiscoveryStrategy {
    private final MemberLookup lookup;

    @SuppressWarnings("rawtypes") // as Hazelcast has it
    Strategy(MemberLookup lookup, ILogger logger, Map<String, Comparable> properties) {
      super(logger, properties);
      this.lookup = lookup;
    }

    @Override
    public Iterable<DiscoveryNode> discoverNodes() {
      return lookup.look();
    }
  }
}
