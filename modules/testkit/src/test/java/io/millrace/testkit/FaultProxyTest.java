package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  private static final int ANSWER_MS_MAX = 10_000;
  private static final int SILENCE_MS = 200;

  private final List<Socket> clients = new ArrayList<>();
  private LineServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = new LineServer();
    proxy = FaultProxy.to("127.0.0.1", server.port());
  }

  @AfterEach
  void end() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    proxy.close();
    server.close();
  }

  private Socket connect() throws IOException {
    Socket client = new Socket(proxy.host(), proxy.port());
    client.setSoTimeout(ANSWER_MS_MAX);
    clients.add(client);
    return client;
  }

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String receive(Socket client, int count) throws IOException {
    return new String(client.getInputStream().readNBytes(count), StandardCharsets.US_ASCII);
  }

  private static void assertEchoes(Socket client, String text) throws IOException {
    send(client, text);
    assertThat(receive(client, text.length())).isEqualTo(text);
  }

  /** Whatever answers were under way come first. */
  private static void assertReset(Socket client) {
    assertThatThrownBy(() -> client.getInputStream().readAllBytes())
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("reset");
  }

  private static void assertSilent(Socket client) throws IOException {
    client.setSoTimeout(SILENCE_MS);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    client.setSoTimeout(ANSWER_MS_MAX);
  }

  @Test
  void bytes_pass_both_ways_and_so_does_the_end() throws IOException {
    Socket client = connect();
    assertEchoes(client, "hello");
    client.shutdownOutput();

    assertThat(client.getInputStream().read()).isEqualTo(-1);
    assertThat(server.endings()).containsExactly("end");
    await().until(() -> proxy.connections() == 0);
    assertThat(proxy.bytesToServer()).isEqualTo(5);
  }

  @Test
  void a_cut_resets_both_ends_and_every_new_connection_until_it_is_healed() throws IOException {
    Socket client = connect();
    assertEchoes(client, "before");
    proxy.cut();

    assertReset(client);
    await().until(() -> server.endings().equals(List.of("reset")));
    assertReset(connect());
    assertThat(proxy.connections()).isZero();

    proxy.heal();
    assertEchoes(connect(), "after");
    assertThat(server.received()).isEqualTo("beforeafter");
  }

  @Test
  void a_single_cut_lets_the_next_connection_through() throws IOException {
    Socket client = connect();
    assertEchoes(client, "before");
    proxy.cutOnce();

    assertReset(client);
    assertEchoes(connect(), "after");
    assertThat(proxy.cuts()).isEqualTo(1);
  }

  @Test
  void nothing_passes_a_stalled_proxy_and_everything_does_in_order_once_it_is_healed()
      throws IOException {
    Socket client = connect();
    assertEchoes(client, "a");
    proxy.stall();
    send(client, "bc");
    Socket late = connect();
    send(late, "de");
    assertSilent(client);
    assertSilent(late);
    assertThat(server.received()).isEqualTo("a");
    await().until(() -> proxy.connections() == 2);

    proxy.heal();
    assertThat(receive(client, 2)).isEqualTo("bc");
    assertThat(receive(late, 2)).isEqualTo("de");
  }

  @Test
  void the_end_of_a_connection_does_not_pass_a_stalled_proxy() throws IOException {
    Socket gone = connect();
    assertEchoes(gone, "a");
    Socket other = connect();
    assertEchoes(other, "b");
    proxy.stall();
    gone.close();
    assertSilent(other);
    assertThat(server.endings()).isEmpty();

    proxy.heal();
    await().until(() -> server.endings().equals(List.of("end")));
  }

  @Test
  void a_stranded_connection_is_dead_while_new_ones_live() throws IOException {
    Socket client = connect();
    assertEchoes(client, "a");
    proxy.strand();
    send(client, "b");
    assertSilent(client);
    assertEchoes(connect(), "c");
    assertThat(server.received()).isEqualTo("ac");

    proxy.heal();
    assertThat(receive(client, 1)).isEqualTo("b");
  }

  @Test
  void a_stalled_connection_can_be_cut() throws IOException {
    Socket client = connect();
    assertEchoes(client, "a");
    proxy.stall();
    send(client, "lost");
    assertSilent(client);
    proxy.cut();

    assertReset(client);
    proxy.heal();
    assertEchoes(connect(), "b");
    assertThat(server.received()).isEqualTo("ab");
  }

  @Test
  void exactly_so_many_bytes_reach_the_server_before_a_cut() throws IOException {
    for (int bytes = 1; bytes <= 5; bytes++) {
      int before = server.received().length();
      Socket client = connect();
      Socket bystander = connect();
      assertEchoes(bystander, "x");
      proxy.cutAfterBytes(bytes);
      send(client, "12345678");

      assertReset(client);
      assertReset(bystander);
      String expected = "x" + "12345678".substring(0, bytes);
      await().until(() -> server.received().substring(before).equals(expected));
    }
    assertThat(proxy.cuts()).isEqualTo(5);
    assertEchoes(connect(), "through");
  }

  @Test
  void an_answer_is_cut_off_in_its_middle() throws IOException {
    Socket client = connect();
    assertEchoes(client, "a");
    proxy.cutAfterAnswerBytes(3);
    send(client, "123456");

    await().until(() -> proxy.cuts() == 1);
    assertThatThrownBy(() -> receive(client, 6)).isInstanceOf(SocketException.class);
    assertThat(server.received()).isEqualTo("a123456");
  }

  @Test
  void a_client_is_reset_while_the_server_is_down_and_served_when_it_is_back() throws IOException {
    int port = server.port();
    server.close();
    assertReset(connect());

    try (ServerSocket back = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      Socket client = connect();
      send(client, "a");
      try (Socket served = back.accept()) {
        assertThat(served.getInputStream().read()).isEqualTo('a');
      }
    }
  }

  @Test
  void a_closed_proxy_refuses_and_leaves_no_connection() throws IOException {
    Socket client = connect();
    assertEchoes(client, "a");
    proxy.close();

    assertReset(client);
    assertThatThrownBy(this::connect).isInstanceOf(SocketException.class);
    assertThat(proxy.connections()).isZero();
  }
}
