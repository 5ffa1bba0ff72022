package io.millrace.devstack;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;

/**
 * Three brokers on 127.0.0.1 that are one Kafka, each a controller too. Topics have three replicas,
 * of which two must have what is acknowledged: any one broker can be killed, and nothing that was
 * acknowledged is lost or refused.
 */
public final class KafkaCluster implements AutoCloseable {
  public static final int BROKERS = 3;

  private final List<KafkaServer> brokers;
  private final KafkaTopics topics;

  private KafkaCluster(List<KafkaServer> brokers) {
    this.brokers = List.copyOf(brokers);
    this.topics = new KafkaTopics(addresses(KafkaServer::internalBootstrapServers));
  }

  /**
   * Starts all of them, in temporary directories, and returns when each is known to the others.
   *
   * @param settings broker settings by name, the same for all
   * @throws DevStackException when one does not start; then the others have been closed again
   */
  public static KafkaCluster start(Map<String, String> settings) {
    KafkaSpec spec = KafkaSpec.defaults().withSettings(settings);
    String clusterId = Uuid.randomUuid().toString();
    List<KafkaNode> nodes =
        IntStream.rangeClosed(1, BROKERS)
            .mapToObj(id -> KafkaNode.of(id, FreePorts.pick()))
            .toList();
    ExecutorService threads = Executors.newFixedThreadPool(BROKERS);
    try {
      return all(
          nodes.stream()
              .map(
                  node ->
                      CompletableFuture.supplyAsync(
                          () -> KafkaServer.start(spec, node, nodes, clusterId), threads))
              .toList());
    } finally {
      threads.shutdown();
    }
  }

  private static KafkaCluster all(List<CompletableFuture<KafkaServer>> starts) {
    List<KafkaServer> started = new ArrayList<>();
    List<CompletionException> failures = new ArrayList<>();
    for (CompletableFuture<KafkaServer> start : starts) {
      try {
        started.add(start.join());
      } catch (CompletionException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      started.forEach(KafkaServer::close);
      throw new DevStackException("the brokers did not start", failures.get(0));
    }
    return new KafkaCluster(started);
  }

  /**
   * One of the brokers, to be killed, paused and restarted.
   *
   * @param index 0..2
   */
  public KafkaServer broker(int index) {
    return brokers.get(index);
  }

  /**
   * Creates a topic and waits, at most 45 s, until every partition has a leader.
   *
   * @param config topic settings by name
   * @throws DevStackException when the topic exists already or the brokers refuse it
   */
  public void createTopic(String name, int partitions, Map<String, String> config) {
    topics.create(name, partitions, config);
  }

  /** How many brokers have everything, for the topic partition for which they are fewest. */
  public int replicasInSync(String topic) {
    return topics.replicasInSync(topic);
  }

  /** The value of the client setting "bootstrap.servers": all of them. */
  public String bootstrapServers() {
    return addresses(KafkaServer::bootstrapServers);
  }

  private String addresses(Function<KafkaServer, String> address) {
    return brokers.stream().map(address).collect(Collectors.joining(","));
  }

  /** Ends all brokers, in whatever state they are, and deletes their directories. */
  @Override
  public void close() {
    List<RuntimeException> failures = new ArrayList<>();
    for (KafkaServer broker : brokers) {
      try {
        broker.close();
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }
}
