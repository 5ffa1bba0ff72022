package io.millrace.debezium;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.DevStack;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** All that a topic holds, by the message that a record is of. */
final class Records {
  /** Debezium's router writes it, and Millrace's relay does not. */
  private static final String ROUTER_HEADER = "id";

  private final Map<String, List<ConsumerRecord<byte[], byte[]>>> ofMessage;

  private Records(List<ConsumerRecord<byte[], byte[]>> all) {
    ofMessage = all.stream().collect(groupingBy(record -> header(record, "ce_id")));
  }

  static Records of(DevStack stack, String topic) {
    Map<String, Object> config =
        Map.of("bootstrap.servers", stack.kafka().bootstrapServers(), "max.poll.records", 1000);
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
    }
    return new Records(all);
  }

  static Set<String> topics(DevStack stack) throws ExecutionException, InterruptedException {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
      return admin.listTopics().names().get();
    }
  }

  Set<String> messageIds() {
    return ofMessage.keySet();
  }

  /** Whoever has published a message, and however often: partition, key, value, headers. */
  void assertTheSameOfEachMessage() {
    ofMessage.forEach(
        (messageId, records) ->
            assertThat(records.stream().map(Records::shown).distinct()).as(messageId).hasSize(1));
  }

  /** So that there is something to compare. */
  void assertPublishedByBoth(String messageId) {
    assertThat(
            ofMessage.get(messageId).stream()
                .map(record -> record.headers().lastHeader(ROUTER_HEADER) != null))
        .as("the router's header on the records of %s", messageId)
        .contains(true, false);
  }

  /** Of one message that Debezium has published. */
  ConsumerRecord<byte[], byte[]> ofDebezium(String messageId) {
    return ofMessage.get(messageId).stream()
        .filter(record -> record.headers().lastHeader(ROUTER_HEADER) != null)
        .findFirst()
        .orElseThrow();
  }

  private static String shown(ConsumerRecord<byte[], byte[]> record) {
    List<String> headers =
        Stream.of(record.headers().toArray())
            .filter(header -> !header.key().equals(ROUTER_HEADER))
            .map(header -> header.key() + "=" + text(header.value()))
            .toList();
    return String.join(
        " ",
        "partition " + record.partition(),
        text(record.key()),
        text(record.value()),
        headers.toString());
  }

  static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    assertThat(header).as("%s of %s", name, record).isNotNull();
    return text(header.value());
  }

  /** Each byte a character. */
  static String text(byte[] bytes) {
    return bytes == null ? "null" : new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
