package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaServerIT {
  private static final String TOPIC = "events";
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void a_killed_broker_keeps_what_was_acknowledged() throws Exception {
    try (KafkaServer server = KafkaServer.start(KafkaSpec.defaults())) {
      server.createTopic(TOPIC, 1, Map.of("retention.ms", "3600000"));
      send(server, "before the kill");
      long before = server.pid();
      server.kill();
      assertThat(server.isRunning()).isFalse();
      assertThat(ProcessStat.read(before)).isEmpty();
      server.restart();
      send(server, "after the kill");
      assertThat(read(server, 2)).containsExactly("before the kill", "after the kill");
    }
  }

  @Test
  void a_second_start_on_the_same_directory_finds_the_data_again(@TempDir Path directory)
      throws Exception {
    KafkaSpec spec = KafkaSpec.defaults().withDirectory(directory);
    try (KafkaServer first = KafkaServer.start(spec)) {
      first.createTopic(TOPIC, 1, Map.of());
      send(first, "kept");
    }
    try (KafkaServer second = KafkaServer.start(spec)) {
      assertThat(read(second, 1)).containsExactly("kept");
    }
  }

  @Test
  void a_paused_broker_acknowledges_nothing_until_it_is_resumed() throws Exception {
    try (KafkaServer server = KafkaServer.start(KafkaSpec.defaults())) {
      server.createTopic(TOPIC, 1, Map.of());
      send(server, "first");
      server.pause();
      assertThatThrownBy(() -> send(server, "lost")).isInstanceOf(ExecutionException.class);
      server.resume();
      send(server, "second");
      assertThat(read(server, 2)).contains("first", "second");
    }
  }

  @Test
  void a_topic_is_not_created_by_being_used() {
    try (KafkaServer server = KafkaServer.start(KafkaSpec.defaults())) {
      assertThatThrownBy(() -> send(server, "nowhere")).isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void a_broker_that_exits_on_start_fails_with_the_end_of_its_log() {
    KafkaSpec spec =
        KafkaSpec.defaults().withSettings(Map.of("authorizer.class.name", "no.such.Authorizer"));
    assertThatThrownBy(() -> KafkaServer.start(spec))
        .isInstanceOf(DevStackException.class)
        .hasMessageContaining("exited with status 1")
        .hasMessageContaining("no.such.Authorizer");
  }

  @Test
  void a_port_that_is_taken_is_named() throws IOException {
    try (ServerSocket taken =
        new ServerSocket(FreePorts.pick(), 1, InetAddress.getLoopbackAddress())) {
      KafkaSpec spec = KafkaSpec.defaults().withPort(taken.getLocalPort());
      assertThatThrownBy(() -> KafkaServer.start(spec))
          .isInstanceOf(DevStackException.class)
          .hasMessageContaining("port " + taken.getLocalPort());
    }
  }

  @Test
  void a_setting_that_kafka_refuses_is_named() {
    KafkaSpec spec = KafkaSpec.defaults().withSettings(Map.of("num.io.threads", "0"));
    assertThatThrownBy(() -> KafkaServer.start(spec))
        .isInstanceOf(DevStackException.class)
        .hasMessageContaining("num.io.threads");
  }

  private static void send(KafkaServer server, String value) throws Exception {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            server.bootstrapServers(),
            "acks",
            "all",
            "max.block.ms",
            3000,
            "request.timeout.ms",
            1000,
            "delivery.timeout.ms",
            3000);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(TOPIC, value)).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static List<String> read(KafkaServer server, int count) {
    Map<String, Object> settings = Map.of("bootstrap.servers", server.bootstrapServers());
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(TOPIC, 0));
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
