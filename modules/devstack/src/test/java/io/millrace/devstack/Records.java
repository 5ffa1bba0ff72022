package io.millrace.devstack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends to and reads from topic partition 0. */
final class Records {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private Records() {}

  /** Fails when there is no acknowledgement within 3 s. */
  static void send(String servers, Map<String, String> client, String topic, String value)
      throws Exception {
    send(servers, client, 3_000, new ProducerRecord<>(topic, 0, null, value));
  }

  /** As {@link #send}, with patience for a change of leader. */
  static void sendPatiently(String servers, String topic, String value) throws Exception {
    send(servers, Map.of(), 20_000, new ProducerRecord<>(topic, 0, null, value));
  }

  private static void send(
      String servers, Map<String, String> client, int limitMs, ProducerRecord<String, String> one)
      throws Exception {
    Map<String, Object> settings = new HashMap<>(client);
    settings.put("bootstrap.servers", servers);
    settings.put("acks", "all");
    settings.put("max.block.ms", limitMs);
    settings.put("request.timeout.ms", 1_000);
    settings.put("delivery.timeout.ms", limitMs);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.send(one).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** What has arrived, once there are so many or 20 s have passed. */
  static List<String> read(String servers, String topic, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (values.size() < count && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }
}
