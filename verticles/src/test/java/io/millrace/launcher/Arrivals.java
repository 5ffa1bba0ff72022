package io.millrace.launcher;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;

/**
 * What has arrived on one topic of one topic partition, in its order and from its beginning. Reads
 * only while it is asked, on the caller's thread.
 */
public final class Arrivals implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

  public Arrivals(String bootstrapServers, String topic) {
    this.consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(List.of(new TopicPartition(topic, 0)));
  }

  /** Waits until at least so many records have arrived, and gives all that have. */
  public List<ConsumerRecord<byte[], byte[]>> await(int count) {
    Awaitility.await("records on " + consumer.assignment())
        .atMost(Stand.LIMIT)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> read().size(), size -> size >= count);
    return List.copyOf(records);
  }

  /** Waits until every one of these payloads has arrived, and gives all payloads in their order. */
  public List<String> awaitPayloads(List<String> payloads) {
    Awaitility.await("payloads on " + consumer.assignment())
        .atMost(Stand.LIMIT)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> new HashSet<>(texts(read())).containsAll(payloads));
    return texts(records);
  }

  /** What has arrived by now; looks for a tenth of a second. */
  public List<ConsumerRecord<byte[], byte[]>> read() {
    consumer.poll(POLL).forEach(records::add);
    return List.copyOf(records);
  }

  /** The payloads as texts. */
  public static List<String> texts(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(r -> text(r.value())).toList();
  }

  /** The values of every header of this name, in their order. */
  public static List<String> headers(ConsumerRecord<byte[], byte[]> record, String name) {
    return StreamSupport.stream(record.headers().headers(name).spliterator(), false)
        .map(Header::value)
        .map(Arrivals::text)
        .toList();
  }

  /** The bytes as UTF-8; null is "null". */
  public static String text(byte[] bytes) {
    return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
