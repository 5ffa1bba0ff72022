package io.millrace.launcher;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.GZIPInputStream;

/** Takes what an OTLP exporter posts, and keeps the bytes as text: names in them can be read. */
final class Collector implements AutoCloseable {
  private final HttpServer server;
  private final ConcurrentLinkedQueue<Map.Entry<String, String>> posts =
      new ConcurrentLinkedQueue<>();

  Collector() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(
        "/",
        exchange -> {
          boolean isZipped =
              "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
          byte[] body =
              isZipped
                  ? new GZIPInputStream(exchange.getRequestBody()).readAllBytes()
                  : exchange.getRequestBody().readAllBytes();
          String text = new String(body, StandardCharsets.ISO_8859_1);
          posts.add(Map.entry(exchange.getRequestURI().getPath(), text));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** What was posted by path, in its order. */
  List<Map.Entry<String, String>> posts() {
    return List.copyOf(posts);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
