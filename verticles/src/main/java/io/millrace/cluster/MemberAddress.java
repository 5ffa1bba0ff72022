package io.millrace.cluster;

import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.spi.MemberAddressProvider;
import io.millrace.core.config.ClusterConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * What a member binds, and what it tells others to connect to.
 *
 * @param bound a single address of this machine
 */
record MemberAddress(ClusterConfig config, InetAddress bound) implements MemberAddressProvider {
  @Override
  public InetSocketAddress getBindAddress() {
    return new InetSocketAddress(bound, config.port());
  }

  @Override
  public InetSocketAddress getBindAddress(EndpointQualifier qualifier) {
    return getBindAddress();
  }

  @Override
  public InetSocketAddress getPublicAddress() {
    int port = config.publicPort() == 0 ? config.port() : config.publicPort();
    return config.publicHost().isEmpty()
        ? new InetSocketAddress(bound, port)
        : new InetSocketAddress(config.publicHost(), port);
  }

  @Override
  public InetSocketAddress getPublicAddress(EndpointQualifier qualifier) {
    return getPublicAddress();
  }
}
