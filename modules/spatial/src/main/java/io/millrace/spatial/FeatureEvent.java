package io.millrace.spatial;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the outbox holds of a change of a feature: everything but its geometry.
 *
 * @param version of the feature after the change
 * @param routingKey the cell it was in after the change, for a retired one before it; null: none
 * @param leftCell the cell that a move has left; null: none
 * @param occurredAt when it was written, by the database's clock: RFC 3339, UTC
 * @param key what the record key is
 */
record FeatureEvent(
    String layer,
    FeatureAction action,
    long version,
    @Nullable String routingKey,
    @Nullable String leftCell,
    String occurredAt,
    Key key) {

  /** Where the record key of a message comes from. */
  enum Key {
    /** It was known when the message was appended. */
    AS_APPENDED,
    /** The cell now; none: the feature id. */
    ROUTING_KEY,
    /** The cell that was left; if none was, the cell now. */
    LEFT_CELL
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("layer", layer)
        .put("action", action.text())
        .put("event_version", version)
        .put("routing_key", routingKey)
        .put("left_cell", leftCell)
        .put("occurred_at", occurredAt);
  }

  /**
   * What {@link #toJson} wrote, or a trigger, which knows points and no cells.
   *
   * @throws DecodeException when it is neither
   */
  static FeatureEvent parse(byte[] bytes, Cells cells) {
    try {
      JsonObject json = new JsonObject(Buffer.buffer(bytes));
      return json.containsKey("resolution") ? captured(json, cells) : written(json);
    } catch (ClassCastException | NullPointerException | IllegalArgumentException e) {
      throw new DecodeException("not an event of a feature: " + e.getMessage(), e);
    }
  }

  private static FeatureEvent written(JsonObject json) {
    return new FeatureEvent(
        text(json, "layer"),
        FeatureAction.of(text(json, "action")),
        json.getLong("event_version"),
        json.getString("routing_key"),
        json.getString("left_cell"),
        text(json, "occurred_at"),
        Key.AS_APPENDED);
  }

  private static FeatureEvent captured(JsonObject json, Cells cells) {
    int resolution = json.getInteger("resolution");
    boolean wasThere = json.getBoolean("was_there");
    boolean isThere = json.getBoolean("is_there");
    String old = cells.of(origin(json.getJsonArray("origin_before")), resolution);
    String cell = isThere ? cells.of(origin(json.getJsonArray("origin")), resolution) : old;
    FeatureAction action = FeatureAction.of(wasThere, isThere, old, cell);
    return new FeatureEvent(
        text(json, "layer"),
        action,
        json.getLong("event_version"),
        cell,
        action == FeatureAction.MOVE ? old : null,
        text(json, "occurred_at"),
        Key.valueOf(text(json, "key").toUpperCase(Locale.ROOT)));
  }

  private static @Nullable Origin origin(@Nullable JsonArray point) {
    return point == null ? null : new Origin(point.getDouble(0), point.getDouble(1));
  }

  private static String text(JsonObject json, String name) {
    String value = json.getString(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }
}
