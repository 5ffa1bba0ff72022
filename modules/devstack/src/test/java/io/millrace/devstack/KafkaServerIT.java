package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaServerIT {
  private static final String TOPIC = "events";

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
  void a_topic_is_denied_to_clients_that_log_in_until_it_is_allowed_again() throws Exception {
    try (KafkaServer server = KafkaServer.start(KafkaSpec.defaults().withAccessControl())) {
      server.createTopic(TOPIC, 1, Map.of());
      server.createTopic("others", 1, Map.of());
      send(server, "before");
      server.denyWrite(TOPIC);
      assertThatThrownBy(() -> send(server, "denied"))
          .hasCauseInstanceOf(TopicAuthorizationException.class);
      Records.send(server.bootstrapServers(), server.clientSettings(), "others", "flows");
      server.allowWrite(TOPIC);
      send(server, "after");

      assertThat(read(server, 2)).containsExactly("before", "after");
      assertThatThrownBy(
              () -> Records.send(server.bootstrapServers(), Map.of(), TOPIC, "without a name"))
          .isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void clients_are_sent_to_the_port_that_is_advertised() throws Exception {
    try (ServerSocket advertised =
        new ServerSocket(FreePorts.pick(), 1, InetAddress.getLoopbackAddress())) {
      KafkaSpec spec = KafkaSpec.defaults().withAdvertisedPort(advertised.getLocalPort());
      try (KafkaServer server = KafkaServer.start(spec)) {
        assertThat(server.bootstrapServers()).endsWith(":" + advertised.getLocalPort());
        assertThat(brokersSeenThrough(server.internalBootstrapServers())).isEqualTo(1);
        assertThatThrownBy(() -> brokersSeenThrough(server.host() + ":" + server.port()))
            .isInstanceOf(ExecutionException.class);
        advertised.setSoTimeout(1);
        advertised.accept().close(); // they have come to where nobody answers
      }
    }
  }

  private static int brokersSeenThrough(String servers) throws Exception {
    try (Admin admin = KafkaTopics.admin(servers, Duration.ofSeconds(5))) {
      return admin.describeCluster().nodes().get().size();
    }
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
    Records.send(server.bootstrapServers(), server.clientSettings(), TOPIC, value);
  }

  private static List<String> read(KafkaServer server, int count) {
    return Records.read(server.internalBootstrapServers(), TOPIC, count);
  }
}
