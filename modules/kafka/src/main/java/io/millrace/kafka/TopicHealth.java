package io.millrace.kafka;

import io.millrace.core.failure.FailureKind;
import io.millrace.port.Publisher.Ailment;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Tells a topic that cannot take records from brokers that are away: the producer waits for both
 * alike, and gets no answer from either.
 */
final class TopicHealth {
  /** Topics that are asked about besides the suspects, to see whether any is well. */
  private static final int OTHERS_MAX = 20;

  private final TopicQueries queries;
  private final TopicDirectory directory;

  TopicHealth(Vertx vertx, Admin admin, TopicDirectory directory) {
    this.queries = new TopicQueries(vertx, admin);
    this.directory = directory;
  }

  /** See {@link io.millrace.port.Publisher#ailing}. */
  Future<Map<String, Ailment>> ailing(List<String> suspects) {
    List<String> asked =
        Stream.concat(suspects.stream(), directory.known(OTHERS_MAX + suspects.size()).stream())
            .distinct()
            .limit(suspects.size() + (long) OTHERS_MAX)
            .toList();
    List<Future<Optional<Ailment>>> answers = asked.stream().map(this::ailment).toList();
    return Future.join(answers)
        .map(
            all -> {
              Map<String, Ailment> ailing = new HashMap<>();
              boolean isAnyWell = false;
              for (int i = 0; i < asked.size(); i++) {
                Optional<Ailment> ailment = answers.get(i).result();
                isAnyWell |= ailment.isEmpty();
                if (suspects.contains(asked.get(i))) {
                  String topic = asked.get(i);
                  ailment.ifPresent(found -> ailing.put(topic, found));
                }
              }
              return isAnyWell ? ailing : Map.of();
            });
  }

  private Future<Optional<Ailment>> ailment(String topic) {
    // Who may not read the topic's settings does not know how many replicas it needs.
    Future<Integer> needed = queries.config(topic).map(TopicHealth::replicasNeeded).otherwise(1);
    return Future.join(queries.description(topic), needed)
        .map(both -> ailment(both.<TopicDescription>resultAt(0), needed.result()))
        .recover(
            failure ->
                KafkaFailures.classify(failure) == FailureKind.TOPIC
                    ? Future.succeededFuture(
                        Optional.of(new Ailment(true, String.valueOf(failure))))
                    : Future.failedFuture(failure));
  }

  private static int replicasNeeded(Config config) {
    ConfigEntry entry = config.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    return entry == null ? 1 : Integer.parseInt(entry.value());
  }

  private static Optional<Ailment> ailment(TopicDescription topic, int needed) {
    for (TopicPartitionInfo partition : topic.partitions()) {
      Node leader = partition.leader();
      if (leader == null || leader.isEmpty()) {
        return weak("topic partition %d has no leader".formatted(partition.partition()));
      }
      // A broker asks for no more replicas than there are.
      if (partition.isr().size() < Math.min(needed, partition.replicas().size())) {
        return weak(
            "topic partition %d has %d in-sync replicas, min.insync.replicas is %d"
                .formatted(partition.partition(), partition.isr().size(), needed));
      }
    }
    return Optional.empty();
  }

  private static Optional<Ailment> weak(String reason) {
    return Optional.of(new Ailment(false, reason));
  }
}
