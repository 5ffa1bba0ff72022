package io.millrace.admin;

import io.millrace.client.Addresses;
import io.millrace.port.LookStore;
import io.millrace.port.NodeStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the dashboard is told while it is open, as server-sent events, and the last {@value
 * #HISTORY_MINUTES} minutes for its plots. Nothing is read for a page that nobody looks at but the
 * nodes; the rest comes from the readings that the metrics need anyway.
 *
 * <ul>
 *   <li>{@code hello}: who is told, as which role, by which node
 *   <li>{@code history}: the samples so far, the oldest first
 *   <li>{@code reading}: the whole state, after each reading of the database
 *   <li>{@code trouble}: the database could not be read, and why
 * </ul>
 *
 * For one context.
 */
final class Feed {
  static final int LISTENERS_MAX = 20;
  static final int HISTORY_MINUTES = 15;

  /** A reading is every five seconds, or less often: never more than this many of them. */
  private static final int SAMPLES_MAX = 200;

  private static final Logger LOG = LoggerFactory.getLogger(Feed.class);

  private final Vertx vertx;
  private final String nodeId;
  private final StatusBus bus;
  private final Readiness readiness;
  private final SharedQuery<List<NodeStatus>> nodes;
  private final Deque<JsonObject> samples = new ArrayDeque<>();
  private final Set<FeedListener> listeners = new LinkedHashSet<>();
  private @Nullable JsonObject reading;
  private @Nullable JsonObject trouble;
  private @Nullable MessageConsumer<JsonObject> news;

  Feed(Vertx vertx, String nodeId, StatusBus bus, Readiness readiness, LookStore look) {
    this.vertx = vertx;
    this.nodeId = nodeId;
    this.bus = bus;
    this.readiness = readiness;
    this.nodes = new SharedQuery<>(() -> look.nodes(ClusterResource.NODES_MAX));
  }

  /** Begins to keep the history. */
  void open() {
    MessageConsumer<JsonObject> consumer =
        vertx.eventBus().localConsumer(Addresses.statusReading(nodeId));
    news = consumer.handler(this::heard);
  }

  /** Ends every stream; those who listened come back to another node, or to this one later. */
  void close() {
    if (news != null) {
      news.unregister().onFailure(cause -> LOG.warn("the feed does not unregister", cause));
    }
    List.copyOf(listeners).forEach(FeedListener::end);
  }

  private void heard(Message<JsonObject> message) {
    JsonObject body = message.body();
    if (body.containsKey("trouble")) {
      trouble = body;
      tellAll("trouble", body);
      return;
    }
    trouble = null;
    reading = body;
    JsonObject sample = body.getJsonObject("sample");
    if (sample != null) {
      samples.addLast(sample);
      long oldest = sample.getLong("at") - TimeUnit.MINUTES.toMillis(HISTORY_MINUTES);
      while (samples.size() > SAMPLES_MAX || samples.getFirst().getLong("at") < oldest) {
        samples.removeFirst();
      }
    }
    if (!listeners.isEmpty()) {
      complete(body)
          .onSuccess(
              whole -> {
                if (isNow(body)) {
                  tellAll("reading", whole);
                }
              });
    }
  }

  private void tellAll(String event, JsonObject body) {
    List.copyOf(listeners).forEach(listener -> listener.tell(event, body));
  }

  /** Adds what this process knows of itself, and the nodes. Never fails. */
  private Future<JsonObject> complete(JsonObject body) {
    Future<List<StatusAnswer>> statuses = bus.ask();
    Future<Answer> ready = readiness.check(/* isKnown= */ true);
    Future<JsonArray> known =
        nodes.ask().map(ClusterResource::nodes).otherwise(cause -> new JsonArray());
    return Future.join(statuses, ready, known)
        .map(all -> whole(body, statuses.result()))
        .map(whole -> whole.put("ready", ready.result().body().toJsonObject()))
        .map(whole -> whole.put("nodes", known.result()));
  }

  private JsonObject whole(JsonObject body, List<StatusAnswer> statuses) {
    JsonObject whole = body.copy();
    StatusJson.addWork(whole.getJsonObject("shards"), nodeId, StatusAnswer.work(statuses));
    whole.getJsonObject("inbox").put("consumers", InboxJson.consumers(statuses));
    return whole;
  }

  /** Tells one more listener from now on: who it is, what was, and what is. */
  void listen(RoutingContext context) {
    Caller caller = Gate.caller(context);
    if (caller == null) {
      throw new IllegalStateException("nobody passes the gate without a name");
    }
    if (context.request().method().equals(HttpMethod.HEAD)) {
      FeedListener.head(context.response()).end();
      return;
    }
    if (listeners.size() >= LISTENERS_MAX) {
      context.response().putHeader("Retry-After", "60");
      Answer.problem(
              503,
              "Service Unavailable",
              "this node tells " + LISTENERS_MAX + " dashboards at most; ask another node")
          .send(context);
      return;
    }
    FeedListener listener = new FeedListener(vertx, context.response(), listeners::remove);
    listeners.add(listener);
    listener.begin();
    listener.tell("hello", hello(caller));
    listener.tell("history", new JsonObject().put("samples", new JsonArray(List.copyOf(samples))));
    if (trouble != null) {
      listener.tell("trouble", trouble);
    } else if (reading != null) {
      tell(listener, reading);
    }
  }

  private void tell(FeedListener listener, JsonObject body) {
    complete(body)
        .onSuccess(
            whole -> {
              if (isNow(body)) {
                listener.tell("reading", whole);
              }
            });
  }

  /** What is old by now would be taken for the state. */
  @SuppressWarnings("ReferenceEquality") // The very one: an equal one came later.
  private boolean isNow(JsonObject body) {
    return trouble == null && reading == body;
  }

  private JsonObject hello(Caller caller) {
    return new JsonObject()
        .put("node", nodeId)
        .put("caller", caller.name())
        .put("role", caller.roleName())
        .put("history_minutes", HISTORY_MINUTES)
        .put("now", System.currentTimeMillis());
  }
}
