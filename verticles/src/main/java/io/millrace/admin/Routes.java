package io.millrace.admin;

import io.millrace.core.config.AdminRole;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What there is at which path, for whom. Reads are for viewers and have no body; changes are for
 * operators and have a small one of JSON, which no form of a web page can send.
 */
final class Routes {
  static final int BODY_BYTES_MAX = 65_536;

  private final Map<String, Path> paths = new LinkedHashMap<>();

  /** Answers one request. */
  interface Work extends Function<RoutingContext, Future<Answer>> {}

  private static final class Path {
    private boolean isOpen;
    private @Nullable Handler<RoutingContext> read;
    private @Nullable Handler<RoutingContext> change;

    String allowed() {
      return read == null ? "POST" : change == null ? "GET, HEAD" : "GET, HEAD, POST";
    }
  }

  /** For everybody. */
  Routes open(String path, String what, Work work) {
    read(path, what, work);
    at(path).isOpen = true;
    return this;
  }

  /**
   * For viewers.
   *
   * @param what the answer is about, for the message when it cannot be given
   */
  Routes read(String path, String what, Work work) {
    at(path).read = context -> WorkAnswers.answer(context, what, work);
    return this;
  }

  /** For viewers, who are answered bit by bit. */
  Routes stream(String path, Handler<RoutingContext> work) {
    at(path).read = work;
    return this;
  }

  /** For operators. */
  Routes change(String path, String what, Work work) {
    at(path).change = context -> WorkAnswers.answer(context, what, work);
    return this;
  }

  private Path at(String path) {
    return paths.computeIfAbsent(path, first -> new Path());
  }

  /** Every method and path, {@code GET /parked/{id}} for example. */
  Set<String> list() {
    return roles().keySet();
  }

  /** By method and path the role that is needed: viewer, operator or none. */
  Map<String, String> roles() {
    Map<String, String> all = new TreeMap<>();
    paths.forEach(
        (path, there) -> {
          String name = path.replaceAll(":([a-z_]+)", "{$1}");
          if (there.read != null) {
            all.put("GET " + name, there.isOpen ? "none" : "viewer");
          }
          if (there.change != null) {
            all.put("POST " + name, "operator");
          }
        });
    return all;
  }

  /** Puts them into the router: the open ones, then whoever has not said who he is ends. */
  void addTo(Router router, Gate gate) {
    BodyHandler body = BodyHandler.create(/* handleFileUploads= */ false);
    body.setBodyLimit(BODY_BYTES_MAX);
    paths.forEach(
        (path, there) -> {
          if (there.isOpen) {
            router.route(path).handler(gate::open).handler(context -> read(context, there));
          }
        });
    router.route().handler(gate::known);
    // A name before a parameter that would take it for a value.
    paths.keySet().stream()
        .filter(path -> !at(path).isOpen)
        .sorted(Comparator.comparing(path -> path.contains(":")))
        .forEach(path -> add(router, gate, path, body));
  }

  private void add(Router router, Gate gate, String path, BodyHandler body) {
    Path there = at(path);
    Handler<RoutingContext> change = there.change;
    if (change != null) {
      router
          .route(HttpMethod.POST, path)
          .handler(gate.needs(AdminRole.OPERATOR))
          .handler(RequestGuard::onlyJson)
          // As any handler: the router would have it before the gate.
          .handler(context -> body.handle(context))
          .handler(change);
    }
    router
        .route(path)
        .handler(gate.needs(AdminRole.VIEWER))
        .handler(context -> read(context, there));
  }

  private static void read(RoutingContext context, Path there) {
    HttpMethod method = context.request().method();
    Handler<RoutingContext> read = there.read;
    if (read != null && (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD))) {
      if (RequestGuard.hasNoBody(context)) {
        read.handle(context);
      }
      return;
    }
    context.response().putHeader(HttpHeaders.ALLOW, there.allowed());
    Answer.problem(405, "Method Not Allowed", there.allowed() + " are served here, found " + method)
        .send(context);
  }
}
