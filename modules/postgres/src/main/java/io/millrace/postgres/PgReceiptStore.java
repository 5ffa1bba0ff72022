package io.millrace.postgres;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.cursor.Sweep;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.parking.Parking;
import io.millrace.port.HeldBack;
import io.millrace.port.LaneOpening;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.ReceiptStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Appends and loads receipts. */
public final class PgReceiptStore implements ReceiptStore {
  private final PgDatabase database;

  public PgReceiptStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<LoadedCursor> load(int shard, String lane) {
    return tryLoad(shard, lane)
        .compose(
            loaded ->
                loaded.incarnation().equals(Incarnation.NONE)
                    ? database
                        .run(Statement.ENSURE_INCARNATION, Tuple.tuple())
                        .compose(made -> tryLoad(shard, lane))
                    : Future.succeededFuture(loaded));
  }

  private Future<LoadedCursor> tryLoad(int shard, String lane) {
    return database
        .run(Statement.LOAD_CURSOR, Tuple.of((short) shard, lane))
        .compose(rows -> toLoaded(shard, lane, rows));
  }

  private static Future<LoadedCursor> toLoaded(int shard, String lane, RowSet<Row> rows) {
    if (rows.size() == 0) {
      return Future.failedFuture(
          new Failure(
              FailureKind.BROKEN, "shard " + shard + ", lane '" + lane + "' has no receipt", null));
    }
    Row row = rows.iterator().next();
    Cursor cursor =
        new Cursor(new Snapshot(row.getString("seen")), row.getLong("head"), toSweep(row));
    String incarnation = row.getString("incarnation");
    return Future.succeededFuture(
        new LoadedCursor(
            cursor,
            row.getLong("counter"),
            incarnation == null ? Incarnation.NONE : new Incarnation(incarnation),
            row.getBoolean("is_ahead"),
            new HeldBack(
                List.of(row.getArrayOfStrings("lanes")),
                List.of(row.getArrayOfStrings("draining")),
                row.getLong("lane_version"),
                row.getBoolean("has_blocked"))));
  }

  private static @Nullable Sweep toSweep(Row row) {
    Long end = row.getLong("sweep_end");
    if (end == null) {
      return null;
    }
    String target = row.getString("sweep_target");
    return target == null
        ? new Sweep.Tail(end)
        : new Sweep.Late(new Snapshot(target), row.getLong("sweep_position"), end);
  }

  @Override
  public Future<ReceiptOutcome> record(Receipt receipt) {
    Cursor cursor = receipt.cursor();
    Sweep sweep = cursor.sweep();
    Tuple values = Tuple.tuple();
    values.addInteger(receipt.shard()).addString(receipt.lane());
    values.addUUID(receipt.claim().token()).addLong(receipt.claim().epoch());
    values.addString(receipt.incarnation().text()).addLong(receipt.counter());
    values.addString(cursor.seen().text()).addLong(cursor.head());
    values.addString(sweep instanceof Sweep.Late late ? late.target().text() : null);
    values.addLong(sweep instanceof Sweep.Late late ? (Long) late.position() : null);
    values.addLong(sweep == null ? null : (Long) sweep.end());
    values.addLong(receipt.sequence()).addInteger(receipt.messageCount());
    values.addLong(receipt.firstId()).addLong(receipt.lastId());
    values.addValue(receipt.parked().isEmpty() ? null : toJson(receipt.parked()));
    values.addString(receipt.endedLane()).addLong(receipt.laneVersion());
    return database.runForOne(
        Statement.RECORD_RECEIPT, values, row -> toOutcome(row.getString("outcome")));
  }

  private static JsonArray toJson(List<Parking> parked) {
    JsonArray all = new JsonArray();
    for (Parking parking : parked) {
      all.add(
          new JsonObject()
              .put("id", parking.message().id())
              .put("kind", parking.kind().name().toLowerCase(Locale.ROOT))
              .put("state", parking.isDead() ? "dead" : "retrying")
              .put("reason", withoutNul(parking.reason()))
              .put("attempts", parking.attempts())
              .put(
                  "overtaken",
                  new JsonArray(parking.overtaken().stream().map(UUID::toString).toList())));
    }
    return all;
  }

  /** PostgreSQL has no NUL, and a failure's text may come from anywhere. */
  static String withoutNul(String text) {
    return text.replace("\0", "");
  }

  @Override
  public Future<ReceiptOutcome> openLane(LaneOpening opening) {
    Tuple values = Tuple.tuple();
    values.addInteger(opening.shard());
    values.addUUID(opening.claim().token()).addLong(opening.claim().epoch());
    values.addString(opening.incarnation().text()).addLong(opening.counter());
    values.addString(opening.topic()).addString(withoutNul(opening.reason()));
    values.addArrayOfUUID(opening.overtaken().toArray(UUID[]::new));
    return database.runForOne(
        Statement.OPEN_LANE, values, row -> toOutcome(row.getString("outcome")));
  }

  static ReceiptOutcome toOutcome(String outcome) {
    return switch (outcome) {
      case "recorded" -> ReceiptOutcome.RECORDED;
      case "fenced" -> ReceiptOutcome.FENCED;
      case "other life" -> ReceiptOutcome.OTHER_LIFE;
      case "moved" -> ReceiptOutcome.MOVED;
      default -> throw new IllegalStateException("millrace.record_receipt answered " + outcome);
    };
  }
}
