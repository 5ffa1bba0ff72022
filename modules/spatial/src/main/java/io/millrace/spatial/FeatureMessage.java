package io.millrace.spatial;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer receives of a feature, and in which order it belongs.
 *
 * <p>Messages of a feature can arrive in another order than its changes: where the record key is
 * the cell, those of a feature that moves lie in several topic partitions. The versions put them
 * right. Whoever keeps, for every feature, the newest {@link #version} that was applied and applies
 * only what {@link #judge} says, ends with the state that the feature has, in whatever order and
 * however often the messages come.
 *
 * @param featureId as text
 * @param eventVersion of the feature after the change that is announced
 * @param geometryVersion of the state that the message holds; null: the feature was gone when the
 *     message was published
 * @param routingKey the cell it was in after the change; null: none
 * @param leftCell the cell that a move has left; null: none
 * @param feature the whole GeoJSON Feature
 */
public record FeatureMessage(
    String featureId,
    FeatureAction action,
    long eventVersion,
    @Nullable Long geometryVersion,
    @Nullable String routingKey,
    @Nullable String leftCell,
    JsonObject feature) {

  /** What to do with a message. */
  public enum Verdict {
    /** Apply it: it is the state that the change has made. */
    AS_THE_EVENT_SAID(true),
    /**
     * Apply it: the state is newer than the event said, for the feature was changed again, or
     * retired, before the message was published. The messages of those changes follow.
     */
    NEWER_THAN_THE_EVENT(true),
    /** Leave it: this very state was applied already. */
    KNOWN(false),
    /** Leave it: a newer state was applied already. */
    STALE(false);

    private final boolean applies;

    Verdict(boolean applies) {
      this.applies = applies;
    }

    public boolean applies() {
      return applies;
    }
  }

  /**
   * Reads a payload.
   *
   * @throws DecodeException when it is no Feature of Millrace's
   */
  public static FeatureMessage parse(byte[] payload) {
    try {
      JsonObject feature = new JsonObject(Buffer.buffer(payload));
      String id = feature.getString("feature_id");
      String action = feature.getString("action");
      if (id == null || action == null) {
        throw new IllegalArgumentException("feature_id or action is missing");
      }
      return new FeatureMessage(
          id,
          FeatureAction.of(action),
          feature.getLong("event_version"),
          feature.getLong("geometry_version"),
          feature.getString("routing_key"),
          feature.getString("left_cell"),
          feature);
    } catch (ClassCastException | NullPointerException | IllegalArgumentException e) {
      throw new DecodeException("not a feature: " + e.getMessage(), e);
    }
  }

  /** How new the state is that the message holds: keep it when the message is applied. */
  public FeatureVersion version() {
    Long state = geometryVersion;
    return state == null
        ? new FeatureVersion(eventVersion, true)
        : new FeatureVersion(state, false);
  }

  /**
   * Says what to do with the message.
   *
   * @param applied the newest version of this feature that was applied; {@link
   *     FeatureVersion#NONE}: nothing was
   */
  public Verdict judge(FeatureVersion applied) {
    int order = version().compareTo(applied);
    if (order < 0) {
      return Verdict.STALE;
    }
    if (order == 0) {
      return Verdict.KNOWN;
    }
    Long state = geometryVersion;
    boolean isAsSaid = state == null ? action == FeatureAction.RETIRE : state == eventVersion;
    return isAsSaid ? Verdict.AS_THE_EVENT_SAID : Verdict.NEWER_THAN_THE_EVENT;
  }
}
