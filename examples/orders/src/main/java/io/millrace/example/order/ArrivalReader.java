package io.millrace.example.order;

import io.millrace.core.message.HeaderName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A plain Kafka consumer on a thread of its own that shows every record to the checker. */
final class ArrivalReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final OrderChecker checker;
  private final Thread thread;

  ArrivalReader(String bootstrapServers, int topicPartitions, OrderChecker checker) {
    this.checker = checker;
    this.consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> all =
        IntStream.range(0, topicPartitions)
            .mapToObj(p -> new TopicPartition(OrderEvent.TOPIC, p))
            .toList();
    consumer.assign(all);
    consumer.seekToBeginning(all);
    this.thread = new Thread(this::read, "arrivals");
    thread.setDaemon(true);
    thread.start();
  }

  private void read() {
    try (consumer) {
      while (true) {
        consumer.poll(POLL).forEach(this::show);
      }
    } catch (WakeupException closed) {
      // close() was called: the consumer is closed on its own thread.
    }
  }

  private void show(ConsumerRecord<byte[], byte[]> record) {
    String orderId = new String(record.key(), StandardCharsets.UTF_8);
    if (orderId.startsWith(OrderLoad.ID_PREFIX)) {
      checker.arrived(
          UUID.fromString(text(record, HeaderName.ID)),
          orderId,
          Long.parseLong(text(record, HeaderName.REVISION)));
    }
  }

  private static String text(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    consumer.wakeup();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
