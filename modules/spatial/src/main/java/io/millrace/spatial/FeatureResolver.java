package io.millrace.spatial;

import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.port.Resolver;
import io.vertx.core.Future;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fills messages of features with what the features are when they are published: a GeoJSON Feature
 * (RFC 7946), with what Millrace says of the event and of the state beside its own members. One
 * query a layer and batch.
 *
 * <p>A feature that is gone is announced with a null geometry. One that cannot be read, or is too
 * large, is refused by itself; a layer that cannot be read refuses its messages; a database that is
 * away is waited for.
 */
public final class FeatureResolver implements Resolver {
  /** What messages of features have in their {@code resolver} column. */
  public static final String NAME = "spatial";

  /** The content type of the messages (RFC 7946, section 12). */
  public static final String GEO_JSON = "application/geo+json";

  private static final String GEO_JSON_SYSTEM = "EPSG:4326";

  private final Cells cells;
  private final FeatureStates states;
  private final Limits limits;

  /**
   * What one message may be.
   *
   * @param coordinateDigits decimal digits of coordinates, 1 to 15
   * @param payloadBytesMax of a filled payload; larger ones are refused
   * @param answerMs the longest wait for the database, in milliseconds; longer than its own limit
   *     of a statement
   */
  public record Limits(int coordinateDigits, int payloadBytesMax, long answerMs) {}

  /**
   * @param pool connections as a role that has {@code millrace_relay}
   */
  public FeatureResolver(Pool pool, Cells cells, Limits limits) {
    this((sql, values) -> pool.preparedQuery(sql).execute(values), cells, limits);
  }

  /**
   * @param reader runs statements as a role that has {@code millrace_relay}
   */
  public FeatureResolver(FeatureReader reader, Cells cells, Limits limits) {
    this.cells = cells;
    this.states = new FeatureStates(reader, limits);
    this.limits = limits;
  }

  /**
   * What keeps this node from reading layers at all; empty: nothing does. Look before the start:
   * later every message of a feature would be parked for it.
   *
   * @return failed when the database is away
   */
  public Future<Optional<String>> problem() {
    return states.problem();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Future<Resolved> resolve(List<OutboxMessage> messages) {
    Map<Long, FeatureEvent> events = new HashMap<>();
    Map<Long, String> hopeless = new HashMap<>();
    Map<String, Set<String>> idsByLayer = new LinkedHashMap<>();
    for (OutboxMessage message : messages) {
      try {
        FeatureEvent event = FeatureEvent.parse(bytes(message), cells);
        events.put(message.id(), event);
        idsByLayer
            .computeIfAbsent(event.layer(), layer -> new LinkedHashSet<>())
            .add(message.aggregateId());
      } catch (DecodeException e) {
        hopeless.put(message.id(), String.valueOf(e.getMessage()));
      }
    }
    Map<String, FeatureStates.Answer> answers = new HashMap<>();
    Future<Void> asked = Future.succeededFuture();
    for (Map.Entry<String, Set<String>> layer : idsByLayer.entrySet()) {
      List<String> ids = List.copyOf(layer.getValue());
      asked =
          asked.compose(
              before ->
                  states
                      .read(layer.getKey(), ids)
                      .onSuccess(answer -> answers.put(layer.getKey(), answer))
                      .mapEmpty());
    }
    return asked.map(all -> fill(messages, events, answers, hopeless));
  }

  private static byte[] bytes(OutboxMessage message) {
    Payload payload = message.payload();
    return payload == null ? new byte[0] : payload.bytes();
  }

  private Resolved fill(
      List<OutboxMessage> messages,
      Map<Long, FeatureEvent> events,
      Map<String, FeatureStates.Answer> answers,
      Map<Long, String> hopeless) {
    List<OutboxMessage> filled = new ArrayList<>();
    for (OutboxMessage message : messages) {
      FeatureEvent event = events.get(message.id());
      if (event == null) {
        continue;
      }
      FeatureStates.Answer answer = answers.get(event.layer());
      String refusal = answer == null ? null : answer.refused().get(message.aggregateId());
      FeatureState state = answer == null ? null : answer.there().get(message.aggregateId());
      Payload payload = refusal == null ? payload(message, event, state) : null;
      if (payload == null) {
        hopeless.put(message.id(), String.valueOf(refusal));
      } else if (payload.size() > limits.payloadBytesMax()) {
        hopeless.put(
            message.id(),
            tooLarge(message.aggregateId(), payload.size(), limits.payloadBytesMax()));
      } else {
        filled.add(message.resolved(payload, message.headers(), key(message, event)));
      }
    }
    return new Resolved(filled, hopeless);
  }

  /** A trigger knew the points and not their cells. */
  private static @Nullable String key(OutboxMessage message, FeatureEvent event) {
    return switch (event.key()) {
      case AS_APPENDED -> message.messageKey();
      case ROUTING_KEY -> event.routingKey();
      case LEFT_CELL -> event.leftCell() == null ? event.routingKey() : event.leftCell();
    };
  }

  static String tooLarge(String featureId, long bytes, int bytesMax) {
    return "feature %s needs %d bytes as GeoJSON, spatial.payload_bytes_max is %d"
        .formatted(featureId, bytes, bytesMax);
  }

  /** The geometry is put in as the text that it is: parsing it would only cost. */
  private static Payload payload(
      OutboxMessage message, FeatureEvent event, @Nullable FeatureState state) {
    JsonObject head =
        new JsonObject()
            .put("type", "Feature")
            .put("id", message.aggregateId())
            .put("feature_id", message.aggregateId())
            .put("layer", event.layer())
            .put("action", event.action().text())
            .put("event_version", event.version())
            .put("geometry_version", state == null ? null : state.version())
            .put("routing_key", event.routingKey())
            .put("left_cell", event.leftCell())
            .put("crs", GEO_JSON_SYSTEM)
            .put("stored_srid", state == null ? null : state.srid())
            .put("schema_version", message.schemaVersion())
            .put("occurred_at", event.occurredAt());
    String text = head.encode();
    String properties = state == null ? null : state.properties();
    String geometry = state == null ? null : state.geometry();
    return Payload.of(
        (text.substring(0, text.length() - 1)
                + ",\"properties\":"
                + properties
                + ",\"geometry\":"
                + geometry
                + "}")
            .getBytes(StandardCharsets.UTF_8));
  }
}
