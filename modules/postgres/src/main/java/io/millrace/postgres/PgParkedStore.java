package io.millrace.postgres;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.lease.Claim;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.port.ParkedStore;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.Redriven;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/** Looks up blocked keys, and lets parked messages go. */
public final class PgParkedStore implements ParkedStore {
  private final PgDatabase database;

  public PgParkedStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<Set<OrderKey>> blocked(int shard, Set<OrderKey> keys) {
    List<OrderKey> asked = List.copyOf(keys);
    Tuple values = Tuple.tuple();
    values.addShort((short) shard);
    values.addArrayOfString(texts(asked, OrderKey::aggregateType));
    values.addArrayOfString(texts(asked, OrderKey::aggregateId));
    values.addArrayOfString(texts(asked, OrderKey::topic));
    return database
        .run(Statement.READ_BLOCKED, values)
        .map(
            rows -> {
              Set<OrderKey> blocked = new HashSet<>();
              rows.forEach(row -> blocked.add(toKey(row)));
              return blocked;
            });
  }

  private static String[] texts(List<OrderKey> keys, Function<OrderKey, String> part) {
    return keys.stream().map(part).toArray(String[]::new);
  }

  private static OrderKey toKey(Row row) {
    return new OrderKey(
        row.getString("aggregate_type"), row.getString("aggregate_id"), row.getString("topic"));
  }

  @Override
  public Future<List<OutboxMessage>> due(int shard, List<String> skipped, ReadBounds bounds) {
    Tuple values = Tuple.tuple();
    values.addShort((short) shard).addArrayOfString(skipped.toArray(String[]::new));
    values.addInteger(bounds.rowsMax()).addInteger(bounds.rowsMax()).addLong(bounds.bytesMax());
    return database
        .run(Statement.READ_DUE_PARKED, values)
        .map(
            rows -> {
              List<OutboxMessage> messages = new ArrayList<>(rows.size());
              rows.forEach(row -> messages.add(PgOutboxStore.toMessage(shard, row)));
              return messages;
            });
  }

  @Override
  public Future<ReceiptOutcome> recordRedrive(Redriven redriven) {
    Tuple values = Tuple.tuple();
    values.addInteger(redriven.shard());
    values.addUUID(redriven.claim().token()).addLong(redriven.claim().epoch());
    values.addString(redriven.incarnation().text());
    values.addArrayOfLong(redriven.published().toArray(Long[]::new));
    values.addValue(toJson(redriven.refused()));
    values.addArrayOfLong(redriven.waiting().toArray(Long[]::new));
    values.addLong(redriven.delayMs());
    return database.runForOne(
        Statement.RECORD_REDRIVE,
        values,
        row -> PgReceiptStore.toOutcome(row.getString("outcome")));
  }

  private static JsonArray toJson(List<Redriven.Refused> refused) {
    JsonArray all = new JsonArray();
    for (Redriven.Refused one : refused) {
      all.add(
          new JsonObject()
              .put("id", one.id())
              .put("reason", PgReceiptStore.withoutNul(one.reason())));
    }
    return all;
  }

  @Override
  public Future<OptionalInt> discardWanted(int shard, Claim claim, int rowsMax) {
    Tuple values = Tuple.of(shard, claim.token(), claim.epoch(), rowsMax);
    return database.runForOne(
        Statement.DISCARD_WANTED,
        values,
        row -> {
          Integer count = row.getInteger("discarded");
          return count == null ? OptionalInt.empty() : OptionalInt.of(count);
        });
  }
}
