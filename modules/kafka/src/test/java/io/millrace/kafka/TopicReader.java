package io.millrace.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What is in a topic. */
final class TopicReader {
  private final String bootstrapServers;

  TopicReader(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  /** Everything up to the present end, each topic partition in its order. */
  List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
    Map<String, Object> properties = Map.of("bootstrap.servers", bootstrapServers);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
      return records;
    }
  }

  /** The payloads, as numbers, of each key in the order in which they were stored. */
  Map<String, List<Long>> idsByKey(String topic) {
    return readAll(topic).stream()
        .collect(
            Collectors.groupingBy(
                record -> new String(record.key(), UTF_8),
                Collectors.mapping(
                    record -> Long.valueOf(new String(record.value(), UTF_8)),
                    Collectors.toList())));
  }
}
