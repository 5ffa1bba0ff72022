package io.millrace.admin;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One HTTP/1.1 connection that sends exactly the bytes it is told to. */
final class RawHttp implements AutoCloseable {
  private static final int TIMEOUT_MS = 15_000;

  private final Socket socket;
  private final InputStream in;

  RawHttp(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends a request of these lines, which may be followed by an empty one and a body. */
  void send(String... lines) throws IOException {
    String text = String.join("\r\n", lines) + "\r\n\r\n";
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** The status line and headers of the next answer, whose body is read and thrown away. */
  String answer() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the server closed the connection after: " + head);
      }
      head.append((char) next);
    }
    String text = head.toString();
    int at = text.toLowerCase(Locale.ROOT).indexOf("content-length:");
    if (at >= 0) {
      String length = text.substring(at + "content-length:".length(), text.indexOf("\r\n", at));
      in.readNBytes(Integer.parseInt(length.trim()));
    }
    return text;
  }

  /** Everything until the server ends the connection. */
  String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Whether the server ends the connection, waiting for it. */
  boolean isEnded() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
