package io.millrace.admin;

import io.millrace.admin.StatusAnswer.ShardWork;
import io.millrace.core.config.AdminRole;
import io.millrace.port.InboxStatus;
import io.millrace.port.ShardStatus;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes. Each is a Future of a whole answer, waited for at most {@value #ANSWER_MS_MAX} ms; a
 * failure becomes a 503 that names what failed and is logged here, once.
 */
final class AdminApi {
  /** Longer than a pool or a lock is waited for; a slower page helps nobody. */
  private static final long ANSWER_MS_MAX = 10_000;

  private static final String PATHS =
      "/partitions, /shards, /inbox, /replays, /health/live, /health/ready and /metrics";

  private static final Logger LOG = LoggerFactory.getLogger(AdminApi.class);

  private final Gate gate;
  private final AdminSources sources;
  private final String nodeId;
  private final StatusBus bus;
  private final Readiness readiness;
  private final SharedQuery<Answer> partitions;
  private final SharedQuery<Answer> shards;
  private final SharedQuery<Answer> inbox;
  private final SharedQuery<Answer> replays;

  AdminApi(Vertx vertx, AdminSources sources, String nodeId, long retentionMs, Gate gate) {
    this.gate = gate;
    this.sources = sources;
    this.nodeId = nodeId;
    this.bus = new StatusBus(vertx.eventBus(), sources.statuses());
    this.readiness = new Readiness(bus, sources.store());
    this.partitions =
        new SharedQuery<>(
            () ->
                sources
                    .store()
                    .slots()
                    .map(slots -> Answer.json(200, StatusJson.partitions(slots, retentionMs))));
    this.shards = new SharedQuery<>(this::readShards);
    this.inbox = new SharedQuery<>(this::readInbox);
    this.replays =
        new SharedQuery<>(
            () -> sources.store().replays().map(rows -> Answer.json(200, ReplayJson.of(rows))));
  }

  /**
   * @param isTls whether clients speak TLS
   */
  Handler<HttpServerRequest> handler(Vertx vertx, boolean isTls) {
    Router router = Router.router(vertx);
    router.route().handler(gate::enter);
    open(router, "/health/live", "liveness", context -> live());
    open(
        router,
        "/health/ready",
        "readiness",
        context -> readiness.check(Gate.caller(context) != null));
    // Who may not know what there is learns of no path either.
    router.route().handler(gate::known);
    serve(router, "/partitions", "the ring's status", partitions::ask);
    serve(router, "/shards", "the shards' status", shards::ask);
    serve(router, "/inbox", "the inbox's status", inbox::ask);
    serve(router, "/replays", "the replays", replays::ask);
    serve(router, "/metrics", "the metrics", this::metrics);
    router.route().handler(AdminApi::unknown);
    router.errorHandler(400, AdminApi::malformed);
    return request -> {
      // Before the router, which refuses malformed requests by itself.
      RequestGuard.secureAnswer(request.response(), isTls);
      router.handle(request);
    };
  }

  private void serve(Router router, String path, String what, Supplier<Future<Answer>> resource) {
    router
        .route(path)
        .handler(gate.needs(AdminRole.VIEWER))
        .handler(RequestGuard::onlyReads)
        .handler(RequestGuard::noBody)
        .handler(context -> answer(context, what, asker -> resource.get()));
  }

  private void open(
      Router router, String path, String what, Function<RoutingContext, Future<Answer>> resource) {
    router
        .route(path)
        .handler(gate::open)
        .handler(RequestGuard::onlyReads)
        .handler(RequestGuard::noBody)
        .handler(context -> answer(context, what, resource));
  }

  private static void answer(
      RoutingContext context, String what, Function<RoutingContext, Future<Answer>> resource) {
    Future.succeededFuture()
        .compose(now -> resource.apply(context))
        .timeout(ANSWER_MS_MAX, TimeUnit.MILLISECONDS)
        .otherwise(cause -> failed(what, cause))
        .onSuccess(answer -> answer.send(context));
  }

  private static Answer failed(String what, Throwable cause) {
    LOG.warn("cannot show {}", what, cause);
    return Answer.problem(503, "Service Unavailable", FailureText.of(what, cause, ANSWER_MS_MAX));
  }

  private static void unknown(RoutingContext context) {
    Answer.problem(404, "Not Found", "there is nothing at this path; there are " + PATHS)
        .send(context);
  }

  private static void malformed(RoutingContext context) {
    Answer.problem(400, "Bad Request", "the Host header is missing, or the path is malformed")
        .send(context);
  }

  private Future<Answer> readShards() {
    Future<List<ShardStatus>> rows = sources.store().shards();
    Future<List<StatusAnswer>> statuses = bus.ask();
    return Future.all(rows, statuses)
        .map(both -> StatusJson.shards(rows.result(), nodeId, work(statuses.result())))
        .map(body -> Answer.json(200, body));
  }

  private Future<Answer> readInbox() {
    Future<InboxStatus> rows = sources.store().inbox();
    Future<List<StatusAnswer>> statuses = bus.ask();
    return Future.all(rows, statuses)
        .map(both -> InboxJson.of(rows.result(), nodeId, statuses.result()))
        .map(body -> Answer.json(200, body));
  }

  private static Map<Integer, ShardWork> work(List<StatusAnswer> statuses) {
    Map<Integer, ShardWork> work = new HashMap<>();
    statuses.forEach(status -> work.putAll(status.shards()));
    return work;
  }

  /** Answering at all is the answer: it needs the event loop. */
  private static Future<Answer> live() {
    return Future.succeededFuture(Answer.json(200, new JsonObject().put("live", true)));
  }

  private Future<Answer> metrics() {
    return Future.succeededFuture()
        .map(now -> sources.metrics().get())
        .map(text -> new Answer(200, "text/plain; version=0.0.4; charset=utf-8", text));
  }
}
