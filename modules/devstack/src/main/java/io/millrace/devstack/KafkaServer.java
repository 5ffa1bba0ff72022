package io.millrace.devstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * A Kafka on 127.0.0.1: one broker that is its own controller, without access control. Topics are
 * never created by being used.
 *
 * <p>The directory holds the data folder, "data", and the log, "kafka.log".
 */
public final class KafkaServer implements DevServer {
  private static final String HOST = "127.0.0.1";
  private static final List<String> STOP_SIGNALS = List.of("TERM");
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);
  private static final Duration TOPIC_LIMIT = Duration.ofSeconds(45);

  private final int port;
  private final KafkaFiles files;
  private final ServerProcess process;

  private KafkaServer(KafkaSpec spec) {
    this.port = FreePorts.fixedOrPicked(spec.port());
    ServerDirectory directory = ServerDirectory.of(spec.directory(), "kafka");
    this.files = new KafkaFiles(directory.path());
    this.process =
        new ServerProcess(
            "Kafka",
            new ServerCommand(
                files.commandLine(), directory.path(), directory.temporary(), files.log(), "KILL"));
  }

  /**
   * Formats the data folder where that is not done yet and returns when the broker answers.
   *
   * @throws DevStackException when it does not within 90 s, with the end of its log
   */
  public static KafkaServer start(KafkaSpec spec) {
    KafkaServer server = new KafkaServer(spec);
    try {
      server.files.prepare(server.settings(spec));
      server.startProcess();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void startProcess() {
    try (Admin admin = admin(PROBE_LIMIT)) {
      process.start(() -> answers(admin));
    }
  }

  private Map<String, String> settings(KafkaSpec spec) {
    int controllerPort = FreePorts.pick();
    String client = "PLAINTEXT://%s:%d".formatted(HOST, port);
    String controller = "CONTROLLER://%s:%d".formatted(HOST, controllerPort);
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("listeners", client + "," + controller);
    settings.put("advertised.listeners", client);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("controller.quorum.voters", "1@%s:%d".formatted(HOST, controllerPort));
    settings.put("log.dirs", files.data().toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "5");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("transaction.state.log.num.partitions", "5");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    // A killed broker is only let in again when the session of its former life has ended.
    settings.put("broker.session.timeout.ms", "1500");
    settings.put("broker.heartbeat.interval.ms", "300");
    // The default buffer is half of this broker's heap.
    settings.put("log.cleaner.dedupe.buffer.size", "8388608");
    settings.putAll(spec.settings());
    return settings;
  }

  /** Closing an Admin waits for its open calls, so their limit is the limit of that too. */
  private Admin admin(Duration limit) {
    return Admin.create(
        Map.of(
            "bootstrap.servers",
            bootstrapServers(),
            "request.timeout.ms",
            String.valueOf(limit.toMillis()),
            "default.api.timeout.ms",
            String.valueOf(limit.toMillis()),
            "reconnect.backoff.ms",
            "50",
            "reconnect.backoff.max.ms",
            "100"));
  }

  private static boolean answers(Admin admin) {
    try {
      return !admin
          .describeCluster()
          .nodes()
          .get(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .isEmpty();
    } catch (ExecutionException | TimeoutException e) {
      return false; // not yet; the caller has a limit
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }

  /**
   * Creates a topic and waits, at most 15 s, until every partition has a leader.
   *
   * @param config topic settings by name
   * @throws DevStackException when the topic exists already or the broker refuses it
   */
  public void createTopic(String name, int partitions, Map<String, String> config) {
    NewTopic topic = new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(config);
    try (Admin admin = admin(TOPIC_LIMIT)) {
      admin.createTopics(List.of(topic)).all().get(TOPIC_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      if (!Await.until(TOPIC_LIMIT, () -> hasLeaders(admin, name, partitions))) {
        throw new DevStackException("topic " + name + " has partitions without a leader");
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new DevStackException("cannot create topic " + name, e);
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }

  /**
   * Changes settings of a topic, by name; those that are not named stay.
   *
   * @throws DevStackException if the broker refuses or does not answer
   */
  public void alterTopic(String name, Map<String, String> config) {
    List<AlterConfigOp> changes =
        config.entrySet().stream()
            .map(c -> new ConfigEntry(c.getKey(), c.getValue()))
            .map(entry -> new AlterConfigOp(entry, AlterConfigOp.OpType.SET))
            .toList();
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
    ask(
        "alter topic " + name,
        admin -> admin.incrementalAlterConfigs(Map.of(topic, changes)).all());
  }

  /**
   * Deletes a topic with its records.
   *
   * @throws DevStackException if there is none, or the broker does not answer
   */
  public void deleteTopic(String name) {
    ask("delete topic " + name, admin -> admin.deleteTopics(List.of(name)).all());
  }

  /**
   * Deletes what a topic partition holds, as its retention would.
   *
   * @throws DevStackException if there is none, or the broker does not answer
   */
  public void deleteRecords(String topic, int topicPartition) {
    Map<TopicPartition, RecordsToDelete> all =
        Map.of(new TopicPartition(topic, topicPartition), RecordsToDelete.beforeOffset(-1));
    ask("delete records of " + topic, admin -> admin.deleteRecords(all).all());
  }

  /**
   * Adds topic partitions.
   *
   * @param partitions how many there will be
   * @throws DevStackException if there is no such topic, or the broker does not answer
   */
  public void growTopic(String name, int partitions) {
    Map<String, NewPartitions> more = Map.of(name, NewPartitions.increaseTo(partitions));
    ask("grow topic " + name, admin -> admin.createPartitions(more).all());
  }

  private void ask(String what, Function<Admin, KafkaFuture<Void>> request) {
    try (Admin admin = admin(TOPIC_LIMIT)) {
      request.apply(admin).get(TOPIC_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new DevStackException("cannot " + what, e);
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }

  private static boolean hasLeaders(Admin admin, String topic, int partitions) {
    try {
      return admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get(TOPIC_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
              .values()
              .stream()
              .flatMap(description -> description.partitions().stream())
              .filter(partition -> partition.leader() != null)
              .count()
          == partitions;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false; // created, but the broker has not read that from the controller yet
      }
      throw new DevStackException("cannot describe topic " + topic, e);
    } catch (TimeoutException e) {
      throw new DevStackException("cannot describe topic " + topic, e);
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }

  /** The value of the client setting "bootstrap.servers". */
  public String bootstrapServers() {
    return HOST + ":" + port;
  }

  public String host() {
    return HOST;
  }

  public int port() {
    return port;
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

  /** Stops first if it runs; returns when the broker answers, at most 90 s after the start. */
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
