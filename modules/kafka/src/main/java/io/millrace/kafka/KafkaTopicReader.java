package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.inbox.TopicSettings;
import io.millrace.port.TopicReader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Asks Kafka for what a topic is and how long it keeps its records. Nothing is cached. Answers come
 * on the caller's context, within 3 s.
 */
public final class KafkaTopicReader implements TopicReader {
  private static final long FOR_EVER = -1;

  private final Vertx vertx;
  private final TopicQueries queries;
  private @Nullable Future<Void> closing;

  private KafkaTopicReader(Vertx vertx, TopicQueries queries) {
    this.vertx = vertx;
    this.queries = queries;
  }

  /**
   * Makes the client; it connects by itself, now or later. Blocks while names are resolved and key
   * stores are read: not for an event loop.
   *
   * @param properties further properties of a Kafka client, by name; those that the admin client
   *     does not know are left out
   * @throws KafkaException when a property is wrong, or no bootstrap server has an address
   */
  public static KafkaTopicReader create(
      Vertx vertx, String bootstrapServers, Map<String, String> properties) {
    Admin admin = Admin.create(ClientProperties.admin(bootstrapServers, properties));
    return new KafkaTopicReader(vertx, new TopicQueries(vertx, admin));
  }

  @Override
  public Future<Optional<TopicSettings>> settings(String topic) {
    Future<TopicDescription> description = queries.description(topic);
    Future<Config> config = queries.config(topic);
    return Future.join(description, config)
        .map(both -> Optional.of(settings(description.result(), config.result())))
        .recover(failure -> absentOrFailed(topic, failure));
  }

  private static TopicSettings settings(TopicDescription topic, Config config) {
    UUID id =
        new UUID(
            topic.topicId().getMostSignificantBits(), topic.topicId().getLeastSignificantBits());
    return new TopicSettings(
        topic.name(),
        id,
        topic.partitions().size(),
        retentionMs(topic.name(), config),
        Long.parseLong(value(topic.name(), config, TopicConfig.SEGMENT_MS_CONFIG)));
  }

  /** Compaction keeps the newest record of a key for ever; only deletion looks at the time. */
  private static OptionalLong retentionMs(String topic, Config config) {
    String policies = value(topic, config, TopicConfig.CLEANUP_POLICY_CONFIG);
    long retentionMs = Long.parseLong(value(topic, config, TopicConfig.RETENTION_MS_CONFIG));
    boolean deletes =
        List.of(policies.split("\\s*,\\s*", -1)).contains(TopicConfig.CLEANUP_POLICY_DELETE);
    return deletes && retentionMs != FOR_EVER ? OptionalLong.of(retentionMs) : OptionalLong.empty();
  }

  private static String value(String topic, Config config, String name) {
    ConfigEntry entry = config.get(name);
    String value = entry == null ? null : entry.value();
    if (value == null) {
      throw new Failure(
          FailureKind.BROKEN,
          "the broker does not say %s of topic %s".formatted(name, topic),
          null);
    }
    return value;
  }

  private static Future<Optional<TopicSettings>> absentOrFailed(String topic, Throwable failure) {
    if (KafkaFailures.unwrap(failure) instanceof UnknownTopicOrPartitionException) {
      return Future.succeededFuture(Optional.empty());
    }
    if (failure instanceof Failure) {
      return Future.failedFuture(failure);
    }
    return Future.failedFuture(
        TopicQueries.failure("the settings of topic %s cannot be read".formatted(topic), failure));
  }

  /** May be repeated. Who still waits for an answer gets a failure. */
  @Override
  public Future<Void> close() {
    Future<Void> close = closing;
    if (close == null) {
      close =
          vertx.executeBlocking(
              () -> {
                queries.close();
                return null;
              },
              false);
      closing = close;
    }
    return close;
  }
}
