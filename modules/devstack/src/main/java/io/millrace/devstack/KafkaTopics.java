package io.millrace.devstack;

import java.time.Duration;
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
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What an administrator does to the topics of a Kafka. Each call is a client of its own, and blocks
 * for at most 45 s, or twice that where it waits for an effect.
 *
 * @param servers the brokers' internal listeners
 */
record KafkaTopics(String servers) {
  private static final Duration LIMIT = Duration.ofSeconds(45);

  /** A client whose calls have a limit. Closing it waits for its open calls. */
  static Admin admin(String servers, Duration limit) {
    return Admin.create(
        Map.of(
            "bootstrap.servers",
            servers,
            "request.timeout.ms",
            String.valueOf(limit.toMillis()),
            "default.api.timeout.ms",
            String.valueOf(limit.toMillis()),
            "reconnect.backoff.ms",
            "50",
            "reconnect.backoff.max.ms",
            "100"));
  }

  void create(String name, int partitions, Map<String, String> config) {
    NewTopic topic = new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(config);
    try (Admin admin = admin(servers, LIMIT)) {
      ask("create topic " + name, admin.createTopics(List.of(topic)).all());
      if (!Await.until(LIMIT, () -> hasLeaders(admin, name, partitions))) {
        throw new DevStackException("topic " + name + " has partitions without a leader");
      }
    }
  }

  void alter(String name, Map<String, String> config) {
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

  void delete(String name) {
    ask("delete topic " + name, admin -> admin.deleteTopics(List.of(name)).all());
  }

  void deleteRecords(String topic, int topicPartition) {
    Map<TopicPartition, RecordsToDelete> all =
        Map.of(new TopicPartition(topic, topicPartition), RecordsToDelete.beforeOffset(-1));
    ask("delete records of " + topic, admin -> admin.deleteRecords(all).all());
  }

  void grow(String name, int partitions) {
    Map<String, NewPartitions> more = Map.of(name, NewPartitions.increaseTo(partitions));
    ask("grow topic " + name, admin -> admin.createPartitions(more).all());
  }

  /** What has been said about a topic is all that counts for it, so the rest is said as well. */
  void denyWrite(String topic) {
    AclBinding all = rule(topic, "*", AclOperation.ALL, AclPermissionType.ALLOW);
    AclBinding but = rule(topic, KafkaNode.USER, AclOperation.WRITE, AclPermissionType.DENY);
    try (Admin admin = admin(servers, LIMIT)) {
      ask("deny topic " + topic, admin.createAcls(List.of(all, but)).all());
      awaitRules(admin, topic, 2);
    }
  }

  void allowWrite(String topic) {
    try (Admin admin = admin(servers, LIMIT)) {
      ask("allow topic " + topic, admin.deleteAcls(List.of(rulesOf(topic))).all());
      awaitRules(admin, topic, 0);
    }
  }

  /** Controllers answer before the brokers know. */
  private static void awaitRules(Admin admin, String topic, int count) {
    boolean isKnown =
        Await.until(
            LIMIT,
            () ->
                ask("describe rules", admin.describeAcls(rulesOf(topic)).values()).size() == count);
    if (!isKnown) {
      throw new DevStackException("topic " + topic + " has not got its " + count + " rules");
    }
  }

  private static AclBinding rule(
      String topic, String user, AclOperation operation, AclPermissionType permission) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:" + user, "*", operation, permission));
  }

  private static AclBindingFilter rulesOf(String topic) {
    return new AclBindingFilter(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL).toFilter(),
        AccessControlEntryFilter.ANY);
  }

  /** How many brokers have everything, for the topic partition for which they are fewest. */
  int replicasInSync(String topic) {
    try (Admin admin = admin(servers, LIMIT)) {
      return describe(admin, topic).partitions().stream()
          .mapToInt(partition -> partition.isr().size())
          .min()
          .orElse(0);
    }
  }

  private static boolean hasLeaders(Admin admin, String topic, int partitions) {
    try {
      return describe(admin, topic).partitions().stream().filter(p -> p.leader() != null).count()
          == partitions;
    } catch (DevStackException e) {
      if (e.getCause() instanceof ExecutionException failure
          && failure.getCause() instanceof UnknownTopicOrPartitionException) {
        return false; // created, but the broker has not read that from the controller yet
      }
      throw e;
    }
  }

  private static TopicDescription describe(Admin admin, String topic) {
    return ask("describe topic " + topic, admin.describeTopics(List.of(topic)).allTopicNames())
        .values()
        .iterator()
        .next();
  }

  private void ask(String what, Function<Admin, KafkaFuture<Void>> request) {
    try (Admin admin = admin(servers, LIMIT)) {
      ask(what, request.apply(admin));
    }
  }

  private static <T> T ask(String what, KafkaFuture<T> answer) {
    try {
      return answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new DevStackException("cannot " + what, e);
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }
}
