package io.millrace.spatial;

import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes features and announces them, both in the caller's own transaction.
 *
 * <p>The application's statements change the row, its version column included; what changed is read
 * from the row before and after. Of the geometry only the cells it had and has go into the message:
 * itself it is read when the message is published.
 *
 * <p>Holds no state and may be used from any context; futures complete on the connection's context.
 *
 * @param <A> what an append gives
 */
public final class Features<A> {
  private final Appending<A> appending;
  private final Cells cells;

  /** Appends messages in the transaction of the connection: {@code outbox::append}. */
  @FunctionalInterface
  public interface Appending<A> {
    /** Never called with no message. */
    Future<A> append(SqlConnection connection, List<NewMessage> messages);
  }

  /** The application's own statements. */
  @FunctionalInterface
  public interface Work {
    /**
     * Inserts, updates or deletes the feature's row, and whatever belongs to the change.
     *
     * @param version what the row's version column must be afterwards, unless the row is gone
     */
    Future<?> run(SqlConnection connection, long version);
  }

  /**
   * What a change was.
   *
   * @param version of the feature now, which the message carries as its revision
   * @param routingKey the cell it is in now, for a retired one the cell it was in; null: none
   * @param leftCell the cell that a move has left; null: none
   * @param appended of the message, and of a second one if the left cell is told, too
   */
  public record Change<A>(
      FeatureAction action,
      long version,
      @Nullable String routingKey,
      @Nullable String leftCell,
      A appended) {}

  /**
   * @param appending {@code outbox::append}
   */
  public Features(Appending<A> appending, Cells cells) {
    this.appending = appending;
    this.cells = cells;
  }

  /**
   * Locks the feature, lets the work change it, and announces what became of it: a create, an edit,
   * a move or a retire.
   *
   * @param connection in a transaction of the caller's, READ COMMITTED
   * @param layer as registered
   * @param featureId as the id column's text
   * @return failed with the driver's failure, after which the transaction can only roll back:
   *     SQLSTATE 22023 when the row has not the version that the work was given, when there is
   *     neither a row before nor after, when the layer is captured, or when its geometry has no
   *     reference system; 42704 when there is no such layer; 40001 when another transaction was in
   *     the way: repeat; or with what the work failed with
   */
  public Future<Change<A>> change(
      SqlConnection connection, String layer, String featureId, Work work) {
    return connection
        .preparedQuery(Statement.LOCK_FEATURE.text())
        .execute(Tuple.of(layer, featureId))
        .map(rows -> Before.of(layer, featureId, rows.iterator().next()))
        .compose(
            before ->
                work.run(connection, before.version() + 1)
                    .compose(done -> settle(connection, before)));
  }

  private Future<Change<A>> settle(SqlConnection connection, Before before) {
    long version = before.version() + 1;
    return connection
        .preparedQuery(Statement.SETTLE_FEATURE.text())
        .execute(Tuple.of(before.layer(), before.featureId(), version, before.isThere()))
        .compose(rows -> announce(connection, before, version, rows.iterator().next()));
  }

  private Future<Change<A>> announce(
      SqlConnection connection, Before before, long version, Row after) {
    boolean isThere = after.getBoolean("is_there");
    String old = cells.of(before.origin(), before.resolution());
    String cell = isThere ? cells.of(origin(after), before.resolution()) : old;
    FeatureAction action = FeatureAction.of(before.isThere(), isThere, old, cell);
    String left = action == FeatureAction.MOVE ? old : null;
    FeatureEvent event =
        new FeatureEvent(
            before.layer(),
            action,
            version,
            cell,
            left,
            after.getString("occurred_at"),
            FeatureEvent.Key.AS_APPENDED);
    List<NewMessage> messages = new ArrayList<>();
    messages.add(message(before, event, cell));
    if (before.announceLeft() && left != null) {
      messages.add(message(before, event, left));
    }
    return appending
        .append(connection, messages)
        .map(appended -> new Change<>(action, version, cell, left, appended));
  }

  private static NewMessage message(Before before, FeatureEvent event, @Nullable String key) {
    JsonObject payload = event.toJson();
    NewMessage message =
        NewMessage.of(
                before.topic(),
                before.aggregateType(),
                before.featureId(),
                before.aggregateType() + "." + event.action().text(),
                Payload.of(payload.encode()))
            .withRevision(event.version())
            .withContentType(FeatureResolver.GEO_JSON)
            .withResolver(FeatureResolver.NAME);
    String schema = before.schemaVersion();
    NewMessage versioned = schema == null ? message : message.withSchemaVersion(schema);
    return key == null || !before.isKeyedByCell() ? versioned : versioned.withMessageKey(key);
  }

  private static @Nullable Origin origin(Row row) {
    return Origin.of(row.getDouble("lon"), row.getDouble("lat"));
  }

  /** A locked feature, and how its layer is announced. */
  private record Before(
      String layer,
      String featureId,
      String topic,
      String aggregateType,
      @Nullable String schemaVersion,
      int resolution,
      boolean isKeyedByCell,
      boolean announceLeft,
      boolean isThere,
      long version,
      @Nullable Origin origin) {

    static Before of(String layer, String featureId, Row row) {
      return new Before(
          layer,
          featureId,
          row.getString("topic"),
          row.getString("aggregate_type"),
          row.getString("schema_version"),
          row.getInteger("resolution"),
          row.getString("record_key").equals("routing_key"),
          row.getBoolean("announce_left"),
          row.getBoolean("is_there"),
          row.getLong("version"),
          Features.origin(row));
    }
  }
}
