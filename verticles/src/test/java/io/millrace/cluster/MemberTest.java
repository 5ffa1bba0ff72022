package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.millrace.core.config.ClusterConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One member with the settings of a node, and what strangers on the network can do to it. */
class MemberTest {
  private static final String HOST = "127.0.0.1";

  private final ClusterPorts ports = ClusterPorts.pick();
  private HazelcastInstance member;

  @AfterEach
  void end() {
    if (member != null) {
      member.shutdown();
    }
  }

  private void start() throws IOException {
    ClusterConfig config = ports.section("alone", List.of(ports));
    member =
        Hazelcast.newHazelcastInstance(
            HazelcastSettings.of(
                config, InetAddress.getByName(HOST), new MemberLookup(config, true)));
  }

  /** Something that no node ever sends. */
  record Foreign(String text) implements Serializable {}

  @Test
  void an_object_of_a_class_that_no_node_sends_is_not_made() throws IOException {
    start();
    member.getMap("any").put("foreign", new Foreign("let me in"));
    member.getMap("any").put("known", "text");

    assertThat(member.getMap("any").get("known")).isEqualTo("text");
    assertThatThrownBy(() -> member.getMap("any").get("foreign"))
        .isInstanceOf(HazelcastSerializationException.class)
        .hasStackTraceContaining("SecurityException")
        .hasStackTraceContaining(Foreign.class.getName());
  }

  @Test
  void only_the_address_that_was_given_is_bound() throws IOException {
    start();
    assertThatThrownBy(() -> new Socket("127.0.0.2", ports.member()).close())
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void nobody_is_let_in_as_a_client_or_served_over_http() throws Exception {
    start();
    for (String greeting : List.of("CP2", "GET /hazelcast/health HTTP/1.0\r\n\r\n")) {
      try (Socket stranger = new Socket(HOST, ports.member())) {
        stranger.setSoTimeout((int) Duration.ofSeconds(10).toMillis());
        stranger.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
        assertThat(answer(stranger)).as(greeting).doesNotContain("CP2", "HTTP");
      }
    }
  }

  /** What comes until the other side closes. */
  private static String answer(Socket socket) throws IOException {
    try (InputStream in = socket.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (java.net.SocketException reset) {
      return "";
    }
  }
}
