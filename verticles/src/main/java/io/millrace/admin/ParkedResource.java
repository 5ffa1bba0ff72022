package io.millrace.admin;

import io.millrace.port.LookStore;
import io.millrace.port.OperatorStore;
import io.millrace.port.OperatorStore.Act;
import io.millrace.port.ParkedContent;
import io.millrace.port.ParkedFilter;
import io.millrace.port.ParkedMessage;
import io.millrace.port.ParkedPage;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Parked messages: which, what they say, and what is to become of them. For one context. */
final class ParkedResource {
  static final String CURSOR = "parked";

  private static final int SHOWN_BYTES_MAX = 65_536;
  private static final int DOWNLOAD_BYTES_DEFAULT = 1_048_576;
  private static final int DOWNLOAD_BYTES_MAX = 16_000_000;

  /** Each may hold {@value #DOWNLOAD_BYTES_MAX} bytes for as long as its reader is slow. */
  private static final int DOWNLOADS_MAX = 4;

  private static final int TYPE_CHARACTERS_MAX = 200;
  private static final int ID_CHARACTERS_MAX = 400;
  private static final int TOPIC_CHARACTERS_MAX = 249;

  private final LookStore look;
  private final OperatorStore operator;
  private int downloads;

  ParkedResource(LookStore look, OperatorStore operator) {
    this.look = look;
    this.operator = operator;
  }

  void addTo(Routes routes) {
    routes
        .read("/parked", "the parked messages", this::page)
        .read("/parked/:id", "the parked message", this::one)
        .read("/parked/:id/payload", "the payload", this::download)
        .change(
            "/parked/redrive", "redrive", context -> change(context, "redrive", operator::redrive))
        .change(
            "/parked/discard", "discard", context -> change(context, "discard", operator::discard));
  }

  private Future<Answer> page(RoutingContext context) {
    Fields fields = Fields.ofQuery(context);
    ParkedFilter filter = filter(fields);
    Long after = fields.cursor(CURSOR);
    int limit = fields.limit();
    fields.end();
    return look.parked(filter, after == null ? 0 : after, limit)
        .map(page -> Answer.json(200, ParkedJson.page(page)));
  }

  private static ParkedFilter filter(Fields fields) {
    return new ParkedFilter(
        fields.text("topic", TOPIC_CHARACTERS_MAX),
        fields.text("aggregate_type", TYPE_CHARACTERS_MAX),
        fields.text("aggregate_id", ID_CHARACTERS_MAX),
        fields.choice("state", Set.of("dead", "retrying")));
  }

  private Future<Answer> one(RoutingContext context) {
    Fields.ofQuery(context).end();
    return found(context, SHOWN_BYTES_MAX)
        .map(content -> Answer.json(200, ParkedJson.content(content)));
  }

  private Future<ParkedContent> found(RoutingContext context, int payloadBytesMax) {
    long id = Acts.number(context, "id", Long.MAX_VALUE);
    return look.parked(id, payloadBytesMax)
        .map(
            found ->
                found.orElseThrow(() -> Refusal.notFound("no parked message has the id " + id)));
  }

  private Future<Answer> download(RoutingContext context) {
    Fields fields = Fields.ofQuery(context);
    int bytesMax = fields.whole("max_bytes", 1, DOWNLOAD_BYTES_MAX, DOWNLOAD_BYTES_DEFAULT);
    fields.end();
    if (downloads >= DOWNLOADS_MAX) {
      Answer busy =
          Answer.problem(
              503, "Service Unavailable", DOWNLOADS_MAX + " downloads are under way already");
      return Future.succeededFuture(busy.with("Retry-After", "1"));
    }
    downloads++;
    context.addEndHandler(ended -> downloads--);
    return found(context, bytesMax).map(content -> attachment(content, bytesMax));
  }

  private static Answer attachment(ParkedContent content, int bytesMax) {
    ParkedMessage message = content.message();
    Buffer payload = content.payload();
    Integer bytes = message.payloadBytes();
    if (payload == null || bytes == null) {
      throw Refusal.notFound("message " + message.id() + " is a tombstone: it has no payload");
    }
    if (bytes > bytesMax) {
      String rule =
          "must be at least " + bytes + ", the payload's bytes; at most " + DOWNLOAD_BYTES_MAX;
      throw new Refusal(
          Answer.badFields(
              List.of(
                  new JsonObject()
                      .put("field", "max_bytes")
                      .put("rule", rule)
                      .put("found", Integer.toString(bytesMax)))));
    }
    String name = "attachment; filename=\"" + message.messageId() + ".bin\"";
    return new Answer(
        200, "application/octet-stream", payload, Map.of("Content-Disposition", name));
  }

  private Future<Answer> change(
      RoutingContext context, String what, BiFunction<Act, List<UUID>, Future<Long>> act) {
    Fields fields = Fields.ofBody(context);
    List<UUID> ids = fields.uuids("message_ids");
    ParkedFilter filter = filter(fields);
    Long after = fields.cursor(CURSOR);
    int limit = fields.limit();
    if ((ids == null) == filter.isEmpty()) {
      fields.refuse(
          "message_ids",
          "must be given, or else one of topic, aggregate_type, aggregate_id and state",
          ids == null ? "neither" : "both");
    }
    return Acts.run(
        context,
        what,
        fields,
        who ->
            ids != null
                ? act.apply(who, ids).map(concerned -> result(concerned, null))
                : look.parked(filter, after == null ? 0 : after, limit)
                    .compose(page -> all(page, who, act)));
  }

  /** Those of the page; nothing is recorded for a page without any. */
  private static Future<JsonObject> all(
      ParkedPage page, Act who, BiFunction<Act, List<UUID>, Future<Long>> act) {
    List<UUID> ids = page.messages().stream().map(ParkedMessage::messageId).distinct().toList();
    return (ids.isEmpty() ? Future.succeededFuture(0L) : act.apply(who, ids))
        .map(concerned -> result(concerned, page.next()));
  }

  private static JsonObject result(long concerned, @Nullable Long next) {
    return new JsonObject().put("messages", concerned).put("next", Cursor.of(CURSOR, next));
  }
}
