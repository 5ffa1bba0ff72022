package io.millrace.bench.harness;

import io.millrace.bench.spi.Payloads;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a topic holds after a measurement: every message once or more often, first occurrences of an
 * aggregate in order.
 *
 * @param distinct messages
 * @param repeats records beyond the first of a message
 * @param disorder first occurrences that came after a later one of their aggregate
 */
record Delivery(long distinct, long repeats, long disorder) {
  private static final Duration POLL = Duration.ofMillis(200);

  /**
   * Reads the topic, the relay still running, until every message has come or the time that a relay
   * is given to go on has passed. Records are not enough to go by: some may be repeats.
   */
  static Delivery await(Bench bench, Site site, long committed) {
    String brokers = bench.servers().kafka().bootstrapServers();
    long until = System.nanoTime() + bench.options().settleNanos();
    try (TopicWatch topic = new TopicWatch(brokers, site.topic())) {
      long read = committed - 1;
      while (true) {
        long known = read;
        TopicWatch.await(until - System.nanoTime(), () -> topic.records() > known);
        read = topic.records();
        Delivery delivery = read(brokers, site.topic());
        if (delivery.distinct >= committed || System.nanoTime() > until) {
          return delivery;
        }
      }
    }
  }

  /** Reads the topic from its beginning to its end. */
  private static Delivery read(String bootstrapServers, String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrapServers)) {
      List<TopicPartition> all =
          IntStream.range(0, Servers.TOPIC_PARTITIONS)
              .mapToObj(i -> new TopicPartition(topic, i))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long open = consumer.endOffsets(all).values().stream().mapToLong(Long::longValue).sum();
      Books books = new Books();
      while (open > 0) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          books.add(record.value());
          open--;
        }
      }
      return books.delivery();
    }
  }

  static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers) {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            10_000,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** What is wrong with it, or that nothing is. */
  String verdict(long committed) {
    return verdict(committed, repeats, "all once, in order");
  }

  /** The same where repeats are told elsewhere. */
  String verdictBesideRepeats(long committed) {
    return verdict(committed, 0, "all, in order");
  }

  private String verdict(long committed, long repeats, String good) {
    StringBuilder text = new StringBuilder();
    if (distinct != committed) {
      text.append("%,d of %,d delivered in the time given".formatted(distinct, committed));
    }
    if (repeats > 0) {
      text.append(text.isEmpty() ? "" : ", ").append("%,d repeated".formatted(repeats));
    }
    if (disorder > 0) {
      text.append(text.isEmpty() ? "" : ", ").append("%,d out of order".formatted(disorder));
    }
    return text.isEmpty() ? good : text.toString();
  }

  /** What has been read so far. */
  static final class Books {
    private final BitSet[] seen = new BitSet[Payloads.AGGREGATES];
    private long distinct;
    private long repeats;
    private long disorder;

    Delivery delivery() {
      return new Delivery(distinct, repeats, disorder);
    }

    /** Whether the message has not come before. */
    boolean add(byte[] payload) {
      int aggregate = Payloads.aggregate(payload);
      int revision = Payloads.revision(payload);
      BitSet known = seen[aggregate];
      if (known == null) {
        known = new BitSet();
        seen[aggregate] = known;
      }
      if (known.get(revision)) {
        repeats++;
        return false;
      }
      distinct++;
      if (known.length() > revision) {
        disorder++;
      }
      known.set(revision);
      return true;
    }
  }
}
