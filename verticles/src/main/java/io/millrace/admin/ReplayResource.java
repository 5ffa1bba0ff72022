package io.millrace.admin;

import io.millrace.port.LookStore;
import io.millrace.port.OperatorStore;
import io.millrace.port.ReplayOrder;
import io.millrace.port.ReplayStatus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Replays: which there are, starting and stopping them. */
final class ReplayResource {
  private static final String CURSOR = "replay";
  private static final int ROWS_MAX = 100;
  private static final int RATE_DEFAULT = 500;
  private static final int RATE_MAX = 100_000;
  private static final int TYPE_CHARACTERS_MAX = 200;
  private static final int ID_CHARACTERS_MAX = 400;
  private static final int TOPIC_CHARACTERS_MAX = 249;

  private final LookStore look;
  private final OperatorStore operator;

  ReplayResource(LookStore look, OperatorStore operator) {
    this.look = look;
    this.operator = operator;
  }

  void addTo(Routes routes) {
    routes
        .read("/replays", "the replays", this::page)
        .change("/replays", "the replay", this::start)
        .change("/replays/:replay/cancel", "the cancelling", this::cancel);
  }

  private Future<Answer> page(RoutingContext context) {
    Fields fields = Fields.ofQuery(context);
    Long below = fields.cursor(CURSOR);
    int limit = fields.whole("limit", 1, ROWS_MAX, ROWS_MAX);
    fields.end();
    return look.replays(below, limit).map(rows -> Answer.json(200, json(rows, limit)));
  }

  private static JsonObject json(List<ReplayStatus> rows, int limit) {
    Long next = rows.size() == limit ? rows.get(limit - 1).replay() : null;
    return ReplayJson.of(rows).put("next", Cursor.of(CURSOR, next));
  }

  private Future<Answer> start(RoutingContext context) {
    Fields fields = Fields.ofBody(context);
    ReplayOrder order =
        new ReplayOrder(
            fields.instant("from_at"),
            fields.instant("to_at"),
            fields.text("topic", TOPIC_CHARACTERS_MAX),
            fields.text("aggregate_type", TYPE_CHARACTERS_MAX),
            fields.text("aggregate_id", ID_CHARACTERS_MAX),
            fields.text("target_topic", TOPIC_CHARACTERS_MAX),
            fields.whole("rate", 1, RATE_MAX, RATE_DEFAULT));
    return Acts.run(
        context,
        "replay",
        fields,
        who -> operator.startReplay(who, order).map(id -> new JsonObject().put("replay", id)));
  }

  private Future<Answer> cancel(RoutingContext context) {
    long replay = Acts.number(context, "replay", Long.MAX_VALUE);
    return Acts.run(
        context,
        "cancelling of replay " + replay,
        Fields.ofBody(context),
        who ->
            operator
                .cancelReplay(who, replay)
                .map(changed -> new JsonObject().put("replay", replay).put("changed", changed)));
  }
}
