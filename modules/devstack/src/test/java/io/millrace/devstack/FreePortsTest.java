package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortsTest {

  @Test
  void no_port_is_picked_twice() {
    List<Integer> ports = IntStream.range(0, 200).mapToObj(i -> FreePorts.pick()).toList();
    assertThat(ports).doesNotHaveDuplicates();
  }

  @Test
  void a_picked_port_can_be_bound() throws IOException {
    int port = FreePorts.pick();
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(socket.getLocalPort()).isEqualTo(port).isLessThan(32_000);
    }
  }
}
