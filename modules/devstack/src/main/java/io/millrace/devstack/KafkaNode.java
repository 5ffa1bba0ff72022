package io.millrace.devstack;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One of the brokers that form a Kafka, each of which is a controller too.
 *
 * @param id from 1, different for each
 * @param port the clients' listener
 * @param internalPort the listener of the brokers among each other and of this JVM; whoever comes
 *     through it may do everything
 * @param controllerPort the listener of the controllers
 */
record KafkaNode(int id, int port, int internalPort, int controllerPort) {
  static final String HOST = "127.0.0.1";

  /** The only one who logs in, and the password too. */
  static final String USER = "millrace";

  private static final int REPLICAS_MAX = 3;

  /** With two further ports picked. */
  static KafkaNode of(int id, int port) {
    return new KafkaNode(id, port, FreePorts.pick(), FreePorts.pick());
  }

  String internalAddress() {
    return HOST + ":" + internalPort;
  }

  /**
   * The settings of this node.
   *
   * @param all the nodes of the same Kafka, this one among them
   */
  Map<String, String> settings(KafkaSpec spec, List<KafkaNode> all, KafkaFiles files) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", String.valueOf(id));
    settings.put("log.dirs", files.data().toString());
    addListeners(settings, spec.advertisedPort().orElse(port), all);
    addReplication(settings, Math.min(REPLICAS_MAX, all.size()));
    settings.put("auto.create.topics.enable", "false");
    settings.put("offsets.topic.num.partitions", "5");
    settings.put("transaction.state.log.num.partitions", "5");
    settings.put("group.initial.rebalance.delay.ms", "0");
    // A killed broker is only let in again when the session of its former life has ended.
    settings.put("broker.session.timeout.ms", "1500");
    settings.put("broker.heartbeat.interval.ms", "300");
    // The default buffer is half of this broker's heap.
    settings.put("log.cleaner.dedupe.buffer.size", "8388608");
    if (spec.hasAccessControl()) {
      addAccessControl(settings);
    }
    settings.putAll(spec.settings());
    return settings;
  }

  private void addListeners(Map<String, String> settings, int advertised, List<KafkaNode> all) {
    String internal = "INTERNAL://" + internalAddress();
    settings.put(
        "listeners",
        "CLIENT://%s:%d,%s,CONTROLLER://%s:%d"
            .formatted(HOST, port, internal, HOST, controllerPort));
    settings.put("advertised.listeners", "CLIENT://%s:%d,%s".formatted(HOST, advertised, internal));
    settings.put(
        "listener.security.protocol.map",
        "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("inter.broker.listener.name", "INTERNAL");
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "controller.quorum.voters",
        all.stream()
            .map(node -> "%d@%s:%d".formatted(node.id, HOST, node.controllerPort))
            .collect(Collectors.joining(",")));
  }

  /** What is acknowledged survives the loss of any one of several brokers. */
  private static void addReplication(Map<String, String> settings, int replicas) {
    String inSync = String.valueOf(Math.max(1, replicas - 1));
    settings.put("default.replication.factor", String.valueOf(replicas));
    settings.put("min.insync.replicas", inSync);
    settings.put("offsets.topic.replication.factor", String.valueOf(replicas));
    settings.put("transaction.state.log.replication.factor", String.valueOf(replicas));
    settings.put("transaction.state.log.min.isr", inSync);
    settings.put("share.coordinator.state.topic.replication.factor", String.valueOf(replicas));
    settings.put("share.coordinator.state.topic.min.isr", inSync);
  }

  /** Clients log in by name; what comes through the other listeners has none, and may do all. */
  private static void addAccessControl(Map<String, String> settings) {
    settings.put(
        "listener.security.protocol.map",
        "CLIENT:SASL_PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put(
        "listener.name.client.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=\"%s\";"
            .formatted(USER, USER));
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    settings.put("super.users", "User:ANONYMOUS");
    // Only topics about which something has been said are restricted.
    settings.put("allow.everyone.if.no.acl.found", "true");
  }

  /** How a client logs in. */
  static Map<String, String> logIn() {
    return Map.of(
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
            .formatted(USER, USER));
  }
}
