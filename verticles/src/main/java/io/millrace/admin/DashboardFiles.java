package io.millrace.admin;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The dashboard's page: a handful of files from the class path, the same for everybody. It holds no
 * data; what it shows it asks the API for, with its reader's token.
 */
final class DashboardFiles {
  /** Its own files alone, and connections to nobody but this server. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String PAGE = "index.html";
  private static final List<String> FILES =
      List.of(
          "dashboard.css",
          "icon.svg",
          "acts.js",
          "dashboard.js",
          "elements.js",
          "feed.js",
          "inbox.js",
          "nodes.js",
          "parked.js",
          "plots.js",
          "ring.js",
          "session.js",
          "shards.js",
          "words.js");

  private final Map<String, Answer> answers = new HashMap<>();

  /** Reads the files; blocks, for some kilobytes of the class path. */
  DashboardFiles() {
    answers.put(PAGE, answer(PAGE));
    FILES.forEach(file -> answers.put(file, answer(file)));
  }

  void addTo(Routes routes) {
    routes
        .open("/", "the dashboard", context -> file(PAGE))
        .open("/dashboard/:file", "the dashboard's files", DashboardFiles.this::file);
  }

  private Future<Answer> file(RoutingContext context) {
    String name = String.valueOf(context.pathParam("file"));
    return FILES.contains(name)
        ? file(name)
        : Future.failedFuture(Refusal.notFound("the dashboard has no file of this name"));
  }

  private Future<Answer> file(String name) {
    Answer answer = answers.get(name);
    return answer == null
        ? Future.failedFuture(new IllegalStateException(name + " is missing from the class path"))
        : Future.succeededFuture(answer);
  }

  private static Answer answer(String file) {
    try (InputStream stream = DashboardFiles.class.getResourceAsStream("dashboard/" + file)) {
      if (stream == null) {
        throw new IllegalStateException("dashboard/" + file + " is missing from the class path");
      }
      Buffer body = Buffer.buffer(stream.readAllBytes());
      return new Answer(200, contentType(file), body, Map.of("Content-Security-Policy", POLICY));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String contentType(String file) {
    return switch (file.substring(file.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> "text/javascript; charset=utf-8";
    };
  }
}
