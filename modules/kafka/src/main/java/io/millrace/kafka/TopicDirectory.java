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
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/**
 * Which topics there are, how many topic partitions each has, and how large its messages may be. It
 * is asked before anything is handed over, so that the producer never waits for a topic that does
 * not exist, and so that a missing topic is told apart from an absent broker.
 *
 * <p>Lives on the context of its callers.
 */
final class TopicDirectory {
  private static final long KNOWN_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
  private static final long FAILED_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
  private static final int TOPICS_MAX = 10_000;

  private final TopicQueries queries;
  private final Admin admin;
  private final Map<String, Answer> answers =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Answer> eldest) {
          return size() > TOPICS_MAX;
        }
      };

  TopicDirectory(Vertx vertx, Admin admin) {
    this.queries = new TopicQueries(vertx, admin);
    this.admin = admin;
  }

  /**
   * What is known of each topic, or a {@link Failure}: TOPIC when it is missing or forbidden,
   * TRANSIENT when the broker does not answer within 3 s.
   *
   * @return never fails, and all futures in it are complete
   */
  Future<Map<String, Future<TopicFacts>>> facts(List<String> topics) {
    Map<String, Future<TopicFacts>> facts = new LinkedHashMap<>();
    topics.forEach(topic -> facts.put(topic, factsOf(topic)));
    return Future.join(List.copyOf(facts.values())).transform(all -> Future.succeededFuture(facts));
  }

  private Future<TopicFacts> factsOf(String topic) {
    Answer known = answers.get(topic);
    if (known != null && known.isFresh(System.nanoTime())) {
      return known.facts();
    }
    Future<TopicFacts> facts = ask(topic).recover(failure -> standIn(topic, failure, known));
    answers.put(topic, new Answer(facts, Long.MAX_VALUE));
    return facts.onComplete(done -> date(topic, facts));
  }

  /** Who may not read the topic's settings publishes without knowing its limit beforehand. */
  private Future<TopicFacts> ask(String topic) {
    Future<Long> bytesMax =
        queries.config(topic).map(TopicDirectory::bytesMax).otherwise(TopicFacts.UNKNOWN_BYTES);
    return Future.join(queries.description(topic), bytesMax)
        .map(
            both ->
                new TopicFacts(
                    both.<TopicDescription>resultAt(0).partitions().size(), bytesMax.result()));
  }

  private static Long bytesMax(Config config) {
    ConfigEntry entry = config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
    return entry == null ? (Long) TopicFacts.UNKNOWN_BYTES : Long.valueOf(entry.value());
  }

  /** An answer that nobody can renew stands: the producer itself waits for an absent broker. */
  private static Future<TopicFacts> standIn(
      String topic, Throwable failure, @Nullable Answer former) {
    boolean isTopic = KafkaFailures.classify(failure) == FailureKind.TOPIC;
    if (!isTopic && former != null && former.facts().succeeded()) {
      return former.facts();
    }
    FailureKind kind = isTopic ? FailureKind.TOPIC : FailureKind.TRANSIENT;
    return Future.failedFuture(
        new Failure(
            kind, "topic %s cannot be published to: %s".formatted(topic, failure), failure));
  }

  private void date(String topic, Future<TopicFacts> facts) {
    Answer answer = answers.get(topic);
    if (answer != null && answer.facts() == facts) {
      long keepNanos = facts.succeeded() ? KNOWN_NANOS_MAX : FAILED_NANOS_MAX;
      answers.put(topic, new Answer(facts, System.nanoTime() + keepNanos));
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
  private record Answer(Future<TopicFacts> facts, long freshUntilNanos) {
    boolean isFresh(long nowNanos) {
      return !facts.isComplete() || freshUntilNanos - nowNanos > 0;
    }
  }
}
