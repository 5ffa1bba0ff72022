package io.millrace.postgres;

import io.millrace.core.cursor.Snapshot;
import io.millrace.port.InboxStatus;
import io.millrace.port.Installation;
import io.millrace.port.LaneStatus;
import io.millrace.port.PublishingStatus;
import io.millrace.port.ReplayStatus;
import io.millrace.port.ShardStatus;
import io.millrace.port.SlotStatus;
import io.millrace.port.StatusStore;
import io.millrace.port.StorageStatus;
import io.millrace.port.Traffic;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks at the ring, the shards, the inbox and replays, for start-up checks and status pages. */
public final class PgStatusStore implements StatusStore {
  private final PgDatabase database;

  public PgStatusStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<Installation> installation() {
    return database.runForOne(
        Statement.READ_INSTALLATION, Tuple.tuple(), PgStatusStore::toInstallation);
  }

  private static Installation toInstallation(Row row) {
    return new Installation(
        row.getInteger("shard_count"),
        row.getInteger("payload_bytes_max"),
        row.getLong("inbox_bucket_ms"),
        row.getInteger("server_version"),
        row.getString("synchronous_commit"),
        row.getBoolean("is_in_recovery"),
        row.getBoolean("is_ahead"));
  }

  @Override
  public Future<List<SlotStatus>> slots() {
    return database
        .run(Statement.READ_RING_STATUS, Tuple.tuple())
        .map(rows -> each(rows, PgStatusStore::toSlot));
  }

  private static SlotStatus toSlot(Row row) {
    Instant vacuum = toInstant(row, "last_vacuum");
    return new SlotStatus(
        row.getInteger("slot"),
        row.getString("state"),
        row.getBoolean("is_current"),
        row.getLong("rows"),
        row.getBoolean("is_counted"),
        row.getLong("dead_rows"),
        row.getLong("bytes"),
        toInstant(row, "oldest_at"),
        toInstant(row, "newest_at"),
        toInstant(row, "closed_at"),
        toInstant(row, "published_at"),
        vacuum != null ? vacuum : toInstant(row, "last_autovacuum"),
        row.getString("postponed"));
  }

  @Override
  public Future<List<ShardStatus>> shards() {
    return database
        .run(Statement.READ_SHARD_STATUS, Tuple.tuple())
        .map(rows -> each(rows, PgStatusStore::toShard));
  }

  private static ShardStatus toShard(Row row) {
    Long head = row.getLong("head");
    return new ShardStatus(
        row.getInteger("shard"),
        row.getUUID("owner"),
        row.getString("node"),
        row.getLong("epoch"),
        row.getBoolean("paused"),
        head == null ? 0 : head,
        Boolean.TRUE.equals(row.getBoolean("is_sweeping")),
        toInstant(row, "published_at"),
        row.getLong("backlog"),
        row.getLong("lag_ms"),
        toLanes(row.getJsonArray("lanes")),
        row.getLong("parked"));
  }

  @Override
  public Future<Traffic> traffic(@Nullable Snapshot since) {
    return database
        .run(Statement.READ_TRAFFIC, Tuple.of(since == null ? null : since.text()))
        .map(PgStatusStore::toTraffic);
  }

  private static Traffic toTraffic(RowSet<Row> rows) {
    List<Traffic.ShardTraffic> shards = new ArrayList<>();
    String snapshot = "";
    for (Row row : rows) {
      snapshot = row.getString("snapshot");
      Integer shard = row.getInteger("shard");
      if (shard != null) {
        shards.add(
            new Traffic.ShardTraffic(shard, row.getLong("messages"), row.getLong("latency_ms")));
      }
    }
    return new Traffic(new Snapshot(snapshot), shards);
  }

  private static List<LaneStatus> toLanes(JsonArray lanes) {
    List<LaneStatus> all = new ArrayList<>();
    for (int i = 0; i < lanes.size(); i++) {
      JsonObject lane = lanes.getJsonObject(i);
      all.add(
          new LaneStatus(
              lane.getString("topic"),
              lane.getString("state"),
              lane.getString("reason"),
              Instant.ofEpochMilli(lane.getLong("opened_ms")),
              lane.getLong("lag_ms"),
              lane.getInteger("overtaken")));
    }
    return all;
  }

  @Override
  public Future<InboxStatus> inbox() {
    return database
        .run(Statement.READ_BUCKET_STATUS, Tuple.tuple())
        .compose(
            buckets ->
                database
                    .run(Statement.READ_PARKED_STATUS, Tuple.tuple())
                    .map(parked -> InboxRows.toStatus(buckets, parked)));
  }

  @Override
  public Future<StorageStatus> storage() {
    return database
        .run(Statement.READ_STORAGE_STATUS, Tuple.tuple())
        .map(
            rows ->
                new StorageStatus(
                    rows.iterator().next().getLong("database_age"),
                    each(rows, PgStatusStore::toTable)));
  }

  private static StorageStatus.Table toTable(Row row) {
    return new StorageStatus.Table(
        row.getString("table_name"),
        row.getLong("bytes"),
        row.getLong("age"),
        row.getLong("dead_rows"),
        toInstant(row, "last_vacuum"));
  }

  @Override
  public Future<PublishingStatus> publishing() {
    return database.run(Statement.READ_PUBLISHING, Tuple.tuple()).map(PublishingRows::toStatus);
  }

  @Override
  public Future<List<ReplayStatus>> replays() {
    return database
        .run(Statement.READ_REPLAY_STATUS, Tuple.tuple())
        .map(rows -> each(rows, ReplayRows::toStatus));
  }

  private static <T> List<T> each(RowSet<Row> rows, Function<Row, T> mapping) {
    List<T> all = new ArrayList<>(rows.size());
    rows.forEach(row -> all.add(mapping.apply(row)));
    return all;
  }

  private static @Nullable Instant toInstant(Row row, String column) {
    OffsetDateTime at = row.getOffsetDateTime(column);
    return at == null ? null : at.toInstant();
  }
}
