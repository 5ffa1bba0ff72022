package io.millrace.admin;

import io.millrace.port.InboxStatus;
import io.millrace.port.ShardStatus;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** The routes, and the pages about the state of the node and of the database. */
final class AdminApi {
  private final Gate gate;
  private final AdminSources sources;
  private final String nodeId;
  private final StatusBus bus;
  private final Readiness readiness;
  private final SharedQuery<Answer> partitions;
  private final SharedQuery<List<ShardStatus>> shardRows;
  private final SharedQuery<Answer> shards;
  private final SharedQuery<Answer> inbox;
  private final Answer description = Answer.text("application/yaml", OpenApi.text());
  private final Feed feed;
  private final Routes routes = new Routes();

  AdminApi(Vertx vertx, AdminSources sources, String nodeId, long retentionMs, Gate gate) {
    this.gate = gate;
    this.sources = sources;
    this.nodeId = nodeId;
    this.bus = new StatusBus(vertx.eventBus(), sources.statuses());
    this.readiness = new Readiness(bus, sources.store());
    this.feed = new Feed(vertx, nodeId, bus, readiness, sources.stores().look());
    this.partitions =
        new SharedQuery<>(
            () ->
                sources
                    .store()
                    .slots()
                    .map(slots -> Answer.json(200, StatusJson.partitions(slots, retentionMs))));
    this.shardRows = new SharedQuery<>(sources.store()::shards);
    this.shards = new SharedQuery<>(this::readShards);
    this.inbox = new SharedQuery<>(this::readInbox);
    addRoutes();
  }

  private void addRoutes() {
    AdminSources.Stores stores = sources.stores();
    routes
        .open("/health/live", "liveness", context -> live())
        .open(
            "/health/ready", "readiness", context -> readiness.check(Gate.caller(context) != null))
        .read("/partitions", "the ring's status", context -> partitions.ask())
        .read("/shards", "the shards' status", context -> shards.ask())
        .read("/inbox", "the inbox's status", context -> inbox.ask())
        .read("/metrics", "the metrics", context -> metrics())
        .read("/openapi.yaml", "the description", context -> Future.succeededFuture(description));
    routes.stream("/events", feed::listen);
    new DashboardFiles().addTo(routes);
    new ParkedResource(stores.look(), stores.operator()).addTo(routes);
    new MessageResource(stores.look()).addTo(routes);
    new ShardResource(stores.operator()).addTo(routes);
    new ReplayResource(stores.look(), stores.operator()).addTo(routes);
    new ClusterResource(stores.look(), shardRows, sources.config()).addTo(routes);
  }

  /** Begins to keep what the dashboard shows. */
  void open() {
    feed.open();
  }

  /** Ends what would not end by itself. */
  void close() {
    feed.close();
  }

  Routes routes() {
    return routes;
  }

  /**
   * @param isTls whether clients speak TLS
   */
  Handler<HttpServerRequest> handler(Vertx vertx, boolean isTls) {
    Router router = Router.router(vertx);
    router.route().handler(gate::enter);
    routes.addTo(router, gate);
    router.route().handler(this::unknown);
    router.errorHandler(400, AdminApi::malformed);
    router.errorHandler(413, AdminApi::tooLarge);
    return request -> {
      // Before the router, which refuses malformed requests by itself.
      RequestGuard.secureAnswer(request.response(), isTls);
      router.handle(request);
    };
  }

  private void unknown(RoutingContext context) {
    String there = String.join(", ", routes.list());
    Answer.problem(404, "Not Found", "there is nothing at this path; there are " + there)
        .send(context);
  }

  private static void malformed(RoutingContext context) {
    Answer.problem(400, "Bad Request", "the Host header is missing, or the path is malformed")
        .send(context);
  }

  private static void tooLarge(RoutingContext context) {
    String rule = "a body has at most " + Routes.BODY_BYTES_MAX + " bytes";
    RequestGuard.endWith(context, Answer.problem(413, "Content Too Large", rule));
  }

  private Future<Answer> readShards() {
    Future<List<ShardStatus>> rows = shardRows.ask();
    Future<List<StatusAnswer>> statuses = bus.ask();
    return Future.all(rows, statuses)
        .map(both -> StatusJson.shards(rows.result(), nodeId, StatusAnswer.work(statuses.result())))
        .map(body -> Answer.json(200, body));
  }

  private Future<Answer> readInbox() {
    Future<InboxStatus> rows = sources.store().inbox();
    Future<List<StatusAnswer>> statuses = bus.ask();
    return Future.all(rows, statuses)
        .map(both -> InboxJson.of(rows.result(), nodeId, statuses.result()))
        .map(body -> Answer.json(200, body));
  }

  /** Answering at all is the answer: it needs the event loop. */
  private static Future<Answer> live() {
    return Future.succeededFuture(Answer.json(200, new JsonObject().put("live", true)));
  }

  private Future<Answer> metrics() {
    return Future.succeededFuture()
        .map(now -> sources.metrics().get())
        .map(text -> Answer.text("text/plain; version=0.0.4; charset=utf-8", text));
  }
}
