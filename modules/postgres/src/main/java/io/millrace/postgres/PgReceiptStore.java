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
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Appends and loads receipts. */
public final class PgReceiptStore implements ReceiptStore {
  /** Two statements at a time: what is acknowledged meanwhile gathers, and is recorded soon. */
  private static final Gathering.Limits LIMITS = new Gathering.Limits(64, 64, 2, 2);

  private final PgDatabase database;
  private final Gathering<Receipt, ReceiptOutcome> plain;

  public PgReceiptStore(PgDatabase database) {
    this.database = database;
    this.plain =
        new Gathering<>(
            database, LIMITS, receipt -> 1, PgReceiptStore::hasDoneNothing, this::record);
  }

  /** The server itself has refused: not a pooler, which may have lost it during the commit. */
  private static boolean hasDoneNothing(Throwable failure) {
    return failure.getCause() instanceof PgException refused
        && PgFailures.kindOf(refused) != FailureKind.UNKNOWN_OUTCOME
        && !String.valueOf(refused.getSqlState()).startsWith("08");
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

  /**
   * Receipts of several shards share a statement. One that parks something or ends a lane locks
   * more than its shard and commits synchronously: it goes by itself.
   */
  @Override
  public Future<ReceiptOutcome> record(Receipt receipt) {
    boolean isPlain = receipt.parked().isEmpty() && receipt.endedLane() == null;
    return isPlain ? plain.ask(receipt) : record(List.of(receipt)).map(outcomes -> outcomes.get(0));
  }

  /** Null for a receipt whose shard somebody has locked: it waits by itself. */
  private Future<List<@Nullable ReceiptOutcome>> record(List<Receipt> receipts) {
    List<Receipt> inOrder =
        receipts.stream().sorted(Comparator.comparingInt(Receipt::shard)).toList();
    return database
        .run(Statement.RECORD_RECEIPT, values(inOrder))
        .map(
            rows -> {
              IdentityHashMap<Receipt, ReceiptOutcome> outcomes = new IdentityHashMap<>();
              for (Row row : rows) {
                String outcome = row.getString("outcome");
                if (!outcome.equals("busy")) {
                  outcomes.put(inOrder.get(row.getInteger("place") - 1), toOutcome(outcome));
                }
              }
              return receipts.stream().map(outcomes::get).toList();
            });
  }

  private static Tuple values(List<Receipt> receipts) {
    return new Columns<>(receipts)
        .integers(Receipt::shard)
        .texts(Receipt::lane)
        .uuids(receipt -> receipt.claim().token())
        .longs(receipt -> receipt.claim().epoch())
        .texts(receipt -> receipt.incarnation().text())
        .longs(Receipt::counter)
        .texts(receipt -> receipt.cursor().seen().text())
        .longs(receipt -> receipt.cursor().head())
        .texts(receipt -> target(receipt.cursor().sweep()))
        .longs(receipt -> position(receipt.cursor().sweep()))
        .longs(receipt -> end(receipt.cursor().sweep()))
        .longs(Receipt::sequence)
        .integers(Receipt::messageCount)
        .longs(Receipt::firstId)
        .longs(Receipt::lastId)
        .texts(receipt -> receipt.parked().isEmpty() ? null : toJson(receipt.parked()).encode())
        .texts(Receipt::endedLane)
        .longs(Receipt::laneVersion)
        .values();
  }

  private static @Nullable String target(@Nullable Sweep sweep) {
    return sweep instanceof Sweep.Late late ? late.target().text() : null;
  }

  private static @Nullable Long position(@Nullable Sweep sweep) {
    return sweep instanceof Sweep.Late late ? (Long) late.position() : null;
  }

  private static @Nullable Long end(@Nullable Sweep sweep) {
    return sweep == null ? null : (Long) sweep.end();
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
