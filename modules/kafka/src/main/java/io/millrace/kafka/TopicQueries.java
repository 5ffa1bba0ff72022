package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.port.Source.OffsetRange;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Questions to the broker, each answered or failed within 3 s, with the answer on the caller's
 * context.
 */
final class TopicQueries {
  private static final int ASK_MS_MAX = 3_000;

  private final Vertx vertx;
  private final Admin admin;

  TopicQueries(Vertx vertx, Admin admin) {
    this.vertx = vertx;
    this.admin = admin;
  }

  Future<TopicDescription> description(String topic) {
    return ask(() ->
            admin
                .describeTopics(List.of(topic), new DescribeTopicsOptions().timeoutMs(ASK_MS_MAX))
                .allTopicNames())
        .map(answers -> only(answers, topic));
  }

  /** All settings of the topic, those that it has from the broker too. */
  Future<Config> config(String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    return ask(() ->
            admin
                .describeConfigs(
                    List.of(resource), new DescribeConfigsOptions().timeoutMs(ASK_MS_MAX))
                .all())
        .map(answers -> only(answers, resource));
  }

  Future<OffsetRange> offsets(TopicPartition topicPartition, IsolationLevel isolation) {
    Future<ListOffsetsResultInfo> beginning =
        offset(topicPartition, OffsetSpec.earliest(), isolation);
    Future<ListOffsetsResultInfo> end = offset(topicPartition, OffsetSpec.latest(), isolation);
    return Future.join(beginning, end)
        .map(both -> new OffsetRange(beginning.result().offset(), end.result().offset()));
  }

  /** The term of the leader of now; empty if the broker does not say. */
  Future<Optional<Integer>> leaderEpoch(TopicPartition topicPartition) {
    return offset(topicPartition, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED)
        .map(ListOffsetsResultInfo::leaderEpoch);
  }

  private Future<ListOffsetsResultInfo> offset(
      TopicPartition topicPartition, OffsetSpec which, IsolationLevel isolation) {
    ListOffsetsOptions options = new ListOffsetsOptions(isolation);
    options.timeoutMs(ASK_MS_MAX);
    return ask(
        () ->
            admin
                .listOffsets(Map.of(topicPartition, which), options)
                .partitionResult(topicPartition));
  }

  private <T> Future<T> ask(Supplier<KafkaFuture<T>> question) {
    try {
      return Future.fromCompletionStage(
          question.get().toCompletionStage(), vertx.getOrCreateContext());
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private static <K, T> T only(Map<K, T> answers, K asked) {
    T answer = answers.get(asked);
    if (answer == null) {
      throw new IllegalStateException("the broker has not answered for " + asked);
    }
    return answer;
  }

  /** A question has no effect: when its outcome is unknown, it can just be asked again. */
  static Failure failure(String what, Throwable cause) {
    FailureKind kind = KafkaFailures.classify(cause);
    return new Failure(
        kind == FailureKind.UNKNOWN_OUTCOME ? FailureKind.TRANSIENT : kind,
        "%s: %s".formatted(what, cause),
        cause);
  }

  /** Blocks. Who still waits for an answer gets a failure. */
  void close() {
    admin.close(Duration.ZERO);
  }
}
