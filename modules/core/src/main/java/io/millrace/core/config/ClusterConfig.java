package io.millrace.core.config;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Section {@code cluster}: the event bus over several nodes. Each component's unit, limits and harm
 * stand with its key. Nothing correct rests on it: without it nodes find each other's work by
 * polling.
 */
public record ClusterConfig(
    boolean enabled,
    String name,
    String host,
    int port,
    int eventBusPort,
    String publicHost,
    int publicPort,
    int eventBusPublicPort,
    String members,
    String kubernetesServiceDns,
    int joinWaitSeconds) {

  /** Whether this node's event bus reaches other nodes; off, nudges and commands stay inside. */
  public static final BooleanKey ENABLED = new BooleanKey("cluster.enabled", false);

  /** Which cluster to be part of; nodes with another name are turned away. No secret. */
  public static final TextKey NAME = new TextKey("cluster.name", "millrace", TextRule.CLUSTER_NAME);

  /**
   * The address to bind, for members and for the event bus. It has no authentication: whoever
   * reaches it can send commands. A wildcard is refused, because it would be offered to every
   * network the machine is in.
   */
  public static final TextKey HOST = new TextKey("cluster.host", "", TextRule.BIND_HOST);

  /** The port for members; taken by others, the start is refused. */
  public static final IntKey PORT = new IntKey("cluster.port", 5_701, 1, 65_535, "TCP port");

  /** The port for what the event bus carries; taken by others, the start is refused. */
  public static final IntKey EVENT_BUS_PORT =
      new IntKey("cluster.event_bus_port", 5_702, 1, 65_535, "TCP port");

  /**
   * What other nodes are told to connect to, where it is not what is bound: behind address
   * translation. Wrong, nodes see each other and never hear of each other.
   */
  public static final TextKey PUBLIC_HOST =
      new TextKey("cluster.public_host", "", TextRule.OPTIONAL_HOST);

  /** The members' port as others reach it. */
  public static final IntKey PUBLIC_PORT =
      new IntKey("cluster.public_port", 0, 0, 65_535, "TCP port");

  /** The event bus's port as others reach it. */
  public static final IntKey EVENT_BUS_PUBLIC_PORT =
      new IntKey("cluster.event_bus_public_port", 0, 0, 65_535, "TCP port");

  /**
   * Where others may be found. Not all need to run; but two nodes that neither list each other nor
   * know a third one stay apart.
   */
  public static final TextKey MEMBERS =
      new TextKey("cluster.members", "", TextRule.OPTIONAL_SERVERS);

  /** Finds others by a name that resolves to the addresses of all of them, on the same port. */
  public static final TextKey KUBERNETES_SERVICE_DNS =
      new TextKey("cluster.kubernetes_service_dns", "", TextRule.OPTIONAL_HOST);

  /** Longer gathers nodes that start at the same time into one join, and delays every start. */
  public static final IntKey JOIN_WAIT_SECONDS =
      new IntKey("cluster.join_wait_seconds", 1, 1, 60, "seconds");

  private static final String LOOPBACK = "127.0.0.1";

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public ClusterConfig {
    new Problems()
        .check(ENABLED, enabled)
        .check(NAME, name)
        .check(HOST, host)
        .check(PORT, port)
        .check(EVENT_BUS_PORT, eventBusPort)
        .check(PUBLIC_HOST, publicHost)
        .check(PUBLIC_PORT, publicPort)
        .check(EVENT_BUS_PUBLIC_PORT, eventBusPublicPort)
        .check(MEMBERS, members)
        .check(KUBERNETES_SERVICE_DNS, kubernetesServiceDns)
        .check(JOIN_WAIT_SECONDS, joinWaitSeconds)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static ClusterConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static ClusterConfig read(ConfigReader reader) {
    return new ClusterConfig(
        reader.read(ENABLED),
        reader.read(NAME),
        reader.read(HOST),
        reader.read(PORT),
        reader.read(EVENT_BUS_PORT),
        reader.read(PUBLIC_HOST),
        reader.read(PUBLIC_PORT),
        reader.read(EVENT_BUS_PUBLIC_PORT),
        reader.read(MEMBERS),
        reader.read(KUBERNETES_SERVICE_DNS),
        reader.read(JOIN_WAIT_SECONDS));
  }

  /** Whether others are found by a name in DNS. */
  public boolean findsByDns() {
    return !kubernetesServiceDns.isEmpty();
  }

  /**
   * The address to bind when {@code cluster.host} is given, or loopback where others are listed.
   */
  public String hostOrLoopback() {
    return host.isEmpty() ? LOOPBACK : host;
  }

  /** Each as host:port. */
  public List<String> memberList() {
    return Stream.of(members.split(",")).filter(member -> !member.isEmpty()).toList();
  }

  void relate(Problems problems) {
    problems.relate(
        !enabled || findsByDns() || !members.isEmpty(),
        MEMBERS,
        members,
        KUBERNETES_SERVICE_DNS,
        "must be given, or cluster.kubernetes_service_dns, with cluster.enabled");
    problems.relate(
        !findsByDns() || members.isEmpty(),
        MEMBERS,
        members,
        KUBERNETES_SERVICE_DNS,
        "must be empty with cluster.kubernetes_service_dns");
    problems.relate(
        port != eventBusPort,
        EVENT_BUS_PORT,
        eventBusPort,
        PORT,
        "must differ from cluster.port (" + port + ")");
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    NAME.printTo(target, name);
    HOST.printTo(target, host);
    PORT.printTo(target, port);
    EVENT_BUS_PORT.printTo(target, eventBusPort);
    PUBLIC_HOST.printTo(target, publicHost);
    PUBLIC_PORT.printTo(target, publicPort);
    EVENT_BUS_PUBLIC_PORT.printTo(target, eventBusPublicPort);
    MEMBERS.printTo(target, members);
    KUBERNETES_SERVICE_DNS.printTo(target, kubernetesServiceDns);
    JOIN_WAIT_SECONDS.printTo(target, joinWaitSeconds);
  }
}
