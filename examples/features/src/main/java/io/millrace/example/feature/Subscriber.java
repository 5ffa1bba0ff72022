package io.millrace.example.feature;

import io.millrace.spatial.FeatureMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A plain Kafka consumer on a thread of its own that shows every message to the board. */
final class Subscriber implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread;

  Subscriber(String bootstrapServers, int topicPartitions, CellBoard board) {
    this.consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> all =
        IntStream.range(0, topicPartitions)
            .mapToObj(p -> new TopicPartition(Fleet.TOPIC, p))
            .toList();
    consumer.assign(all);
    consumer.seekToBeginning(all);
    this.thread = new Thread(() -> read(board), "subscriber");
    thread.setDaemon(true);
    thread.start();
  }

  private void read(CellBoard board) {
    try (consumer) {
      while (true) {
        consumer.poll(POLL).forEach(record -> board.show(FeatureMessage.parse(record.value())));
      }
    } catch (WakeupException closed) {
      // close() was called: the consumer is closed on its own thread.
    }
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
