package io.millrace.fault;

import io.millrace.core.message.HeaderName;
import io.millrace.launcher.Arrivals;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Counts first occurrences on a topic of one topic partition, and sees whether each aggregate's
 * revisions rise, without keeping the records.
 */
final class OrderedCount {
  private static final Duration POLL = Duration.ofMillis(200);

  private final String bootstrapServers;
  private final TopicPartition partition;
  private final Map<String, Long> newest = new HashMap<>();
  private final BitSet seen = new BitSet();
  private final Set<String> disorders = new TreeSet<>();

  OrderedCount(String bootstrapServers, String topic) {
    this.bootstrapServers = bootstrapServers;
    this.partition = new TopicPartition(topic, 0);
  }

  /** Reads from the beginning until so many different messages have come, or the time is over. */
  int await(int count, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      while (seen.cardinality() < count && System.nanoTime() < end) {
        consumer.poll(POLL).forEach(this::note);
      }
    }
    return seen.cardinality();
  }

  private void note(ConsumerRecord<byte[], byte[]> record) {
    int position = Math.toIntExact(number(record, HeaderName.MESSAGE_POSITION));
    if (seen.get(position)) {
      return;
    }
    seen.set(position);
    String aggregate = Arrivals.headers(record, HeaderName.AGGREGATE_ID).get(0);
    long revision = number(record, HeaderName.REVISION);
    Long before = newest.put(aggregate, revision);
    if (before != null && before > revision) {
      disorders.add(aggregate);
    }
  }

  private static long number(ConsumerRecord<byte[], byte[]> record, String header) {
    return Long.parseLong(Arrivals.headers(record, header).get(0));
  }

  /** Aggregates of which a message came before an earlier one. */
  Set<String> disorders() {
    return disorders;
  }
}
