package io.millrace.kafka;

import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Does to topics and groups of a broker what others may do. */
record Topics(String bootstrapServers) {

  /** Records whose payload is one byte, in one topic partition. */
  void write(String topic, int topicPartition, int count) {
    write(
        IntStream.range(0, count)
            .mapToObj(
                i -> new ProducerRecord<>(topic, topicPartition, (byte[]) null, new byte[] {1}))
            .toList());
  }

  /** Each record a batch of its own. */
  void writeSingly(String topic, int topicPartition, int count) {
    ByteArraySerializer bytes = new ByteArraySerializer();
    Map<String, Object> properties = Map.of("bootstrap.servers", bootstrapServers);
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, topicPartition, null, new byte[] {1}));
        producer.flush();
      }
    }
  }

  void write(List<ProducerRecord<byte[], byte[]>> records) {
    ByteArraySerializer bytes = new ByteArraySerializer();
    Map<String, Object> properties = Map.of("bootstrap.servers", bootstrapServers);
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
      records.forEach(producer::send);
    }
  }

  void deleteBelow(String topic, int topicPartition, long offset) {
    TopicPartition which = new TopicPartition(topic, topicPartition);
    ask(admin -> admin.deleteRecords(Map.of(which, RecordsToDelete.beforeOffset(offset))).all());
  }

  void delete(String topic) {
    ask(admin -> admin.deleteTopics(List.of(topic)).all());
  }

  /** Deletes a topic and makes another of its name as soon as the broker has forgotten it. */
  void recreate(KafkaServer kafka, String topic, int partitions) {
    delete(topic);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> !ask(admin -> admin.listTopics().names()).contains(topic));
    kafka.createTopic(topic, partitions, Map.of());
  }

  TopicDescription describe(String topic) {
    return ask(admin -> admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
  }

  Map<TopicPartition, OffsetAndMetadata> committed(String group) {
    return ask(admin -> admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
  }

  /** How many members the group has. */
  int members(String group) {
    return ask(admin -> admin.describeConsumerGroups(List.of(group)).describedGroups().get(group))
        .members()
        .size();
  }

  <T> T ask(Function<Admin, KafkaFuture<T>> question) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      return question.apply(admin).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
