package io.millrace.admin;

import io.millrace.port.LookStore;
import io.millrace.port.MessageTrace;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Where a message is. */
final class MessageResource {
  private static final int WITHIN_SECONDS_DEFAULT = 60;

  /** The database refuses message ids that are further from its clock. */
  private static final int WITHIN_SECONDS_MAX = 86_400;

  private static final int TIME_BITS_BELOW = 16;
  private static final int VERSION = 7;

  private final LookStore look;

  MessageResource(LookStore look) {
    this.look = look;
  }

  void addTo(Routes routes) {
    routes.read("/messages/:message_id", "where the message is", this::find);
  }

  private Future<Answer> find(RoutingContext context) {
    Fields fields = Fields.ofQuery(context);
    int seconds = fields.whole("within_seconds", 1, WITHIN_SECONDS_MAX, WITHIN_SECONDS_DEFAULT);
    String given = context.pathParam("message_id");
    Optional<UUID> id = Fields.uuid(given).filter(uuid -> uuid.version() == VERSION);
    if (id.isEmpty()) {
      fields.refuse("message_id", "must be a UUID of version 7", given);
    }
    fields.end();
    return find(id.orElseThrow(), seconds);
  }

  private Future<Answer> find(UUID id, int seconds) {
    return look.find(id, TimeUnit.SECONDS.toMillis(seconds))
        .map(trace -> Answer.json(200, json(id, trace, seconds)));
  }

  private static JsonObject json(UUID id, MessageTrace trace, int seconds) {
    JsonObject page =
        new JsonObject()
            .put("message_id", id.toString())
            .put("minted_at", mintedAt(id).toString())
            .put("state", state(trace))
            .put("within_seconds", seconds)
            .put("looked_at", trace.messagesLookedAt())
            .put("complete", trace.isComplete());
    MessageTrace.Place place = trace.place();
    return page.put("place", place == null ? null : json(place));
  }

  /** Of a message that is not there nobody can tell whether it ever was. */
  private static String state(MessageTrace trace) {
    MessageTrace.Place place = trace.place();
    if (place != null) {
      return place.state();
    }
    return trace.isComplete() ? "gone_or_never_there" : "unknown";
  }

  private static JsonObject json(MessageTrace.Place place) {
    MessageTrace.Receipt receipt = place.receipt();
    return new JsonObject()
        .put("id", place.id())
        .put("shard", place.shard())
        .put("slot", place.slot())
        .put("topic", place.topic())
        .put("aggregate_type", place.aggregateType())
        .put("aggregate_id", place.aggregateId())
        .put("created_at", place.createdAt().toString())
        .put(
            "receipt",
            receipt == null
                ? null
                : new JsonObject()
                    .put("lane", receipt.lane())
                    .put("epoch", receipt.epoch())
                    .put("counter", receipt.counter())
                    .put("published_at", receipt.publishedAt().toString()));
  }

  private static Instant mintedAt(UUID id) {
    return Instant.ofEpochMilli(id.getMostSignificantBits() >>> TIME_BITS_BELOW);
  }
}
