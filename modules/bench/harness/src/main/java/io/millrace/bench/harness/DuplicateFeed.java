package io.millrace.bench.harness;

import io.millrace.bench.spi.Payloads;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Fills a topic with messages as Millrace's relay writes them, some of them twice. */
final class DuplicateFeed {
  /** How many messages lie between a message and its repetition. */
  private static final int DISTANCE = 500;

  private final Servers servers;
  private final String topic;
  private final long startMs = Clock.systemUTC().millis();

  DuplicateFeed(Servers servers, String topic) {
    this.servers = servers;
    this.topic = topic;
  }

  /**
   * Returns when the broker has all.
   *
   * @param percent of the records that repeat an earlier one, 0 to 50
   * @return distinct messages
   */
  long send(int records, int percent, int bytes) {
    AtomicReference<Exception> failure = new AtomicReference<>();
    int distinct = 0;
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      int repeats = 0;
      for (int i = 0; i < records; i++) {
        // Due as soon as fewer than their part were sent, once there is something to repeat.
        boolean repeat = distinct > DISTANCE && repeats * 100L < (long) i * percent;
        int number = repeat ? distinct - DISTANCE + repeats++ % DISTANCE : distinct++;
        var unused =
            producer.send(
                record(number, bytes),
                (metadata, cause) -> {
                  if (cause != null) {
                    failure.compareAndSet(null, cause);
                  }
                });
      }
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw new BenchException("the topic could not be filled", failed);
    }
    return distinct;
  }

  private ProducerRecord<byte[], byte[]> record(int number, int bytes) {
    int aggregate = number % Payloads.AGGREGATES;
    String id = Payloads.aggregateId(aggregate);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic, utf8(id), Payloads.of(aggregate, number / Payloads.AGGREGATES, 0, bytes));
    record
        .headers()
        .add("ce_specversion", utf8("1.0"))
        .add("ce_id", utf8(id(number).toString()))
        .add("ce_source", utf8("/millrace"))
        .add("ce_type", utf8("account_changed"))
        .add("content-type", utf8("application/json"))
        .add("millrace_aggregate_type", utf8("account"))
        .add("millrace_aggregate_id", utf8(id));
    return record;
  }

  /** A UUIDv7 of now, the same for the same number. */
  private UUID id(int number) {
    return new UUID(startMs << 16 | 0x7000, 0x8000_0000_0000_0000L | number);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            servers.kafka().bootstrapServers(),
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.BATCH_SIZE_CONFIG,
            65_536,
            ProducerConfig.LINGER_MS_CONFIG,
            5),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }
}
