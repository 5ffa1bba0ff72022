package io.millrace.devstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;

/**
 * A Kafka on 127.0.0.1: one broker that is its own controller. Topics are never created by being
 * used.
 *
 * <p>The directory holds the data folder, "data", and the log, "kafka.log".
 */
public final class KafkaServer implements DevServer {
  private static final List<String> STOP_SIGNALS = List.of("TERM");
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(5);

  private final KafkaSpec spec;
  private final KafkaNode node;
  private final KafkaFiles files;
  private final KafkaTopics topics;
  private final ServerControl process;

  private KafkaServer(KafkaSpec spec, KafkaNode node, List<KafkaNode> all, String clusterId) {
    boolean isContainer = isContainer(spec);
    this.spec = spec;
    this.node = node;
    ServerDirectory directory = ServerDirectory.of(spec.directory(), "kafka");
    this.files = new KafkaFiles(directory.path());
    this.topics = new KafkaTopics(node.internalAddress());
    Map<String, String> settings = node.settings(spec, all, files);
    if (isContainer) {
      this.process =
          new ServerContainer("Kafka", ContainerSpec.kafka(settings, clusterId), files.log());
      return;
    }
    this.process =
        new ServerProcess(
            "Kafka",
            new ServerCommand(
                files.commandLine(spec.jvmOptions()),
                directory.path(),
                directory.temporary(),
                files.log(),
                "KILL"));
    prepared(settings, clusterId);
  }

  /** What lasts stays where it is, and who may log in is in a file that the image does not read. */
  private static boolean isContainer(KafkaSpec spec) {
    return spec.directory() == null
        && !spec.hasAccessControl()
        && ServerChoice.fromSystemProperty().usesContainers();
  }

  private void prepared(Map<String, String> settings, String clusterId) {
    try {
      files.prepare(settings, clusterId);
    } catch (RuntimeException e) {
      process.close();
      throw e;
    }
  }

  /**
   * Formats the data folder where that is not done yet and returns when the broker answers.
   *
   * @throws DevStackException when it does not within 3 min, with the end of its log
   */
  public static KafkaServer start(KafkaSpec spec) {
    KafkaNode node = KafkaNode.of(1, FreePorts.fixedOrPicked(spec.port()));
    return start(spec, node, List.of(node), Uuid.randomUuid().toString());
  }

  /**
   * One of several: returns when the others know it, so at least half of them have to be started at
   * the same time.
   */
  static KafkaServer start(KafkaSpec spec, KafkaNode node, List<KafkaNode> all, String clusterId) {
    KafkaServer server = new KafkaServer(spec, node, all, clusterId);
    try {
      server.startProcess();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void startProcess() {
    try (Admin admin = KafkaTopics.admin(node.internalAddress(), PROBE_LIMIT)) {
      process.start(() -> answers(admin));
    }
  }

  /** A broker's settings are asked of that broker, once the controller has let it in. */
  private boolean answers(Admin admin) {
    ConfigResource itself =
        new ConfigResource(ConfigResource.Type.BROKER, String.valueOf(node.id()));
    try {
      admin
          .describeConfigs(List.of(itself))
          .all()
          .get(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false; // not yet; the caller has a limit
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }

  /**
   * Creates a topic and waits, at most 45 s, until every partition has a leader.
   *
   * @param config topic settings by name
   * @throws DevStackException when the topic exists already or the broker refuses it
   */
  public void createTopic(String name, int partitions, Map<String, String> config) {
    topics.create(name, partitions, config);
  }

  /**
   * Changes settings of a topic, by name; those that are not named stay.
   *
   * @throws DevStackException if the broker refuses or does not answer
   */
  public void alterTopic(String name, Map<String, String> config) {
    topics.alter(name, config);
  }

  /**
   * Deletes a topic with its records.
   *
   * @throws DevStackException if there is none, or the broker does not answer
   */
  public void deleteTopic(String name) {
    topics.delete(name);
  }

  /**
   * Deletes what a topic partition holds, as its retention would.
   *
   * @throws DevStackException if there is none, or the broker does not answer
   */
  public void deleteRecords(String topic, int topicPartition) {
    topics.deleteRecords(topic, topicPartition);
  }

  /**
   * Adds topic partitions.
   *
   * @param partitions how many there will be
   * @throws DevStackException if there is no such topic, or the broker does not answer
   */
  public void growTopic(String name, int partitions) {
    topics.grow(name, partitions);
  }

  /**
   * Refuses what logged-in clients write to a topic from now on; they may still see and read it.
   *
   * @throws DevStackException if the broker has no access control, or does not answer
   */
  public void denyWrite(String topic) {
    topics.denyWrite(topic);
  }

  /**
   * Takes {@link #denyWrite} back.
   *
   * @throws DevStackException if the broker has no access control, or does not answer
   */
  public void allowWrite(String topic) {
    topics.allowWrite(topic);
  }

  /** The value of the client setting "bootstrap.servers": the advertised address. */
  public String bootstrapServers() {
    return KafkaNode.HOST + ":" + spec.advertisedPort().orElse(node.port());
  }

  /**
   * As {@link #bootstrapServers}, but past a proxy and past access control: for the test itself,
   * while it hurts others.
   */
  public String internalBootstrapServers() {
    return node.internalAddress();
  }

  /** What a client needs to log in, by name; empty without access control. */
  public Map<String, String> clientSettings() {
    return spec.hasAccessControl() ? KafkaNode.logIn() : Map.of();
  }

  public String host() {
    return KafkaNode.HOST;
  }

  /** The port on which the broker listens for clients. */
  public int port() {
    return node.port();
  }

  public Path logFile() {
    return files.log();
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public boolean isRunning() {
    return process.isRunning();
  }

  @Override
  public void kill() {
    process.kill();
  }

  /** Waits 10 s for a controlled shutdown, then kills. */
  @Override
  public void stop() {
    process.stop(STOP_SIGNALS);
  }

  /** Stops first if it runs; returns when the broker answers, at most 3 min after the start. */
  @Override
  public void restart() {
    stop();
    startProcess();
  }

  @Override
  public void pause() {
    process.pause();
  }

  @Override
  public void resume() {
    process.resume();
  }

  @Override
  public void close() {
    try {
      if (process.isRunning() && !process.isTemporary()) {
        stop();
      }
    } finally {
      process.close();
    }
  }
}
