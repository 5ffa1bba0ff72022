package io.millrace.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers each byte by the same byte, and notes what arrives and how each connection ends. */
final class LineServer implements AutoCloseable {
  private final ServerSocket listener;
  private final StringBuffer received = new StringBuffer();
  private final List<String> endings = new CopyOnWriteArrayList<>();

  LineServer() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    begin(this::accept);
  }

  private static void begin(Runnable work) {
    Thread thread = new Thread(work, "line-server");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  String received() {
    return received.toString();
  }

  /** One of "end" and "reset" for every connection that is over. */
  List<String> endings() {
    return List.copyOf(endings);
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        begin(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      byte[] chunk = new byte[1_000];
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        received.append(new String(chunk, 0, count, StandardCharsets.US_ASCII));
        socket.getOutputStream().write(chunk, 0, count);
      }
      endings.add("end");
    } catch (IOException e) {
      endings.add("reset");
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
