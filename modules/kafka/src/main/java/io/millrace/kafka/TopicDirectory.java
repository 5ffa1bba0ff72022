package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.jspecify.annotations.Nullable;

/**
 * Which topics there are, and how many topic partitions each has. It is asked before anything is
 * handed over, so that the producer never waits for a topic that does not exist, and so that a
 * missing topic is told apart from an absent broker.
 *
 * <p>Lives on the context of its callers.
 */
final class TopicDirectory {
  private static final int ASK_MS_MAX = 3_000;
  private static final long KNOWN_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
  private static final long FAILED_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
  private static final int TOPICS_MAX = 10_000;

  private final Vertx vertx;
  private final Admin admin;
  private final Map<String, Answer> answers =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Answer> eldest) {
          return size() > TOPICS_MAX;
        }
      };

  TopicDirectory(Vertx vertx, Admin admin) {
    this.vertx = vertx;
    this.admin = admin;
  }

  /**
   * The number of topic partitions of each topic, or a {@link Failure}: TOPIC when it is missing or
   * forbidden, TRANSIENT when the broker does not answer within 3 s.
   *
   * @return never fails, and all futures in it are complete
   */
  Future<Map<String, Future<Integer>>> partitionCounts(List<String> topics) {
    Map<String, Future<Integer>> counts = new LinkedHashMap<>();
    topics.forEach(topic -> counts.put(topic, partitionCount(topic)));
    return Future.join(List.copyOf(counts.values()))
        .transform(all -> Future.succeededFuture(counts));
  }

  private Future<Integer> partitionCount(String topic) {
    Answer known = answers.get(topic);
    if (known != null && known.isFresh(System.nanoTime())) {
      return known.count();
    }
    Future<Integer> count =
        describe(topic)
            .map(TopicDirectory::partitions)
            .recover(failure -> standIn(topic, failure, known));
    answers.put(topic, new Answer(count, Long.MAX_VALUE));
    return count.onComplete(done -> date(topic, count));
  }

  private static int partitions(Map<String, TopicDescription> onlyOne) {
    return onlyOne.values().stream().mapToInt(topic -> topic.partitions().size()).sum();
  }

  /** An answer that nobody can renew stands: the producer itself waits for an absent broker. */
  private static Future<Integer> standIn(String topic, Throwable failure, @Nullable Answer former) {
    boolean isTopic = KafkaFailures.classify(failure) == FailureKind.TOPIC;
    if (!isTopic && former != null && former.count().succeeded()) {
      return former.count();
    }
    FailureKind kind = isTopic ? FailureKind.TOPIC : FailureKind.TRANSIENT;
    return Future.failedFuture(
        new Failure(
            kind, "topic %s cannot be published to: %s".formatted(topic, failure), failure));
  }

  private void date(String topic, Future<Integer> count) {
    Answer answer = answers.get(topic);
    if (answer != null && answer.count() == count) {
      long keepNanos = count.succeeded() ? KNOWN_NANOS_MAX : FAILED_NANOS_MAX;
      answers.put(topic, new Answer(count, System.nanoTime() + keepNanos));
    }
  }

  private Future<Map<String, TopicDescription>> describe(String topic) {
    try {
      DescribeTopicsResult answer =
          admin.describeTopics(List.of(topic), new DescribeTopicsOptions().timeoutMs(ASK_MS_MAX));
      return Future.fromCompletionStage(
          answer.allTopicNames().toCompletionStage(), vertx.getOrCreateContext());
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  /** Topics that were asked for lately, the first ones among them. */
  List<String> known(int max) {
    return answers.keySet().stream().limit(max).toList();
  }

  /** The next caller asks again. */
  void forget(String topic) {
    answers.remove(topic);
  }

  void forgetAll() {
    answers.clear();
  }

  /** Blocks. Who still waits for an answer gets a failure. */
  void close() {
    admin.close(Duration.ZERO);
  }

  /** An answer or the question under way, and until when it counts. */
  private record Answer(Future<Integer> count, long freshUntilNanos) {
    boolean isFresh(long nowNanos) {
      return !count.isComplete() || freshUntilNanos - nowNanos > 0;
    }
  }
}
