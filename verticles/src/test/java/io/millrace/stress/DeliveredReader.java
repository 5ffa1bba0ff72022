package io.millrace.stress;

import io.millrace.testkit.Delivered;
import io.millrace.testkit.History;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A plain consumer that writes down everything that arrives, each topic partition in its order. */
final class DeliveredReader implements AutoCloseable {
  private final String bootstrapServers;
  private final List<TopicPartition> partitions;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final History history;
  private final Thread thread;
  private volatile boolean isStopped;

  DeliveredReader(String bootstrapServers, List<TopicPartition> partitions, History history) {
    this.bootstrapServers = bootstrapServers;
    this.partitions = List.copyOf(partitions);
    this.history = history;
    this.consumer = consumer(bootstrapServers);
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    this.thread = new Thread(this::read, "stress-consumer");
    thread.start();
  }

  private static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** How many records the topics hold now: nothing is transactional, so offsets have no holes. */
  long endOffset() {
    try (KafkaConsumer<byte[], byte[]> asking = consumer(bootstrapServers)) {
      return asking.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private void read() {
    try (consumer) {
      while (!isStopped) {
        consumer.poll(Duration.ofMillis(200)).forEach(this::note);
      }
    } catch (WakeupException e) {
      // close() was called
    }
  }

  private void note(ConsumerRecord<byte[], byte[]> record) {
    history.delivered(
        new Delivered(
            UUID.fromString(text(record, "ce_id")),
            record.topic(),
            new String(record.key(), StandardCharsets.UTF_8),
            Long.parseLong(text(record, "millrace_revision")),
            record.topic() + "-" + record.partition() + "@" + record.offset()));
  }

  private static String text(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    if (header == null) {
      throw new AssertionError("no header " + name + " in " + record);
    }
    return new String(header.value(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    isStopped = true;
    consumer.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
