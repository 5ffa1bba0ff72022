package io.millrace.stress;

import io.millrace.devstack.KafkaCluster;
import io.millrace.devstack.KafkaServer;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * The Kafka of a run.
 *
 * @param forNodes where relays find it
 * @param forReaders where the test reads what has arrived, past what it does to the relays
 * @param create creates a topic with so many topic partitions
 */
public record Brokers(String forNodes, String forReaders, ObjIntConsumer<String> create) {

  public static Brokers of(KafkaServer server) {
    return new Brokers(
        server.bootstrapServers(),
        server.internalBootstrapServers(),
        (topic, partitions) -> server.createTopic(topic, partitions, Map.of()));
  }

  public static Brokers of(KafkaCluster cluster) {
    return new Brokers(
        cluster.bootstrapServers(),
        cluster.bootstrapServers(),
        (topic, partitions) -> cluster.createTopic(topic, partitions, Map.of()));
  }

  /** Relays find it elsewhere. */
  public Brokers throughPort(int port) {
    return new Brokers("127.0.0.1:" + port, forReaders, create);
  }
}
