package io.millrace.postgres;

import io.millrace.port.ReplayStatus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes values of the rows about replays. */
final class ReplayRows {
  private ReplayRows() {}

  static ReplayStatus toStatus(Row row) {
    return new ReplayStatus(
        row.getLong("replay_id"),
        row.getString("state"),
        row.getString("end_reason"),
        toRequest(row),
        toInstant(row, "finished_at"),
        new ReplayStatus.Count(
            row.getInteger("shards"),
            row.getInteger("shards_done"),
            row.getLong("sent"),
            row.getLong("skipped"),
            row.getString("skip_reason"),
            row.getDouble("progress"),
            row.getLong("messages_left")),
        toLaggards(row.getJsonArray("laggards")));
  }

  private static ReplayStatus.Request toRequest(Row row) {
    return new ReplayStatus.Request(
        row.getString("actor"),
        row.getString("reason"),
        toInstant(row, "from_at"),
        toInstant(row, "to_at"),
        row.getString("topic"),
        row.getString("aggregate_type"),
        row.getString("aggregate_id"),
        row.getString("target_topic"),
        row.getInteger("rate"),
        row.getOffsetDateTime("created_at").toInstant());
  }

  private static List<ReplayStatus.Laggard> toLaggards(JsonArray laggards) {
    List<ReplayStatus.Laggard> all = new ArrayList<>();
    for (int i = 0; i < laggards.size(); i++) {
      JsonObject one = laggards.getJsonObject(i);
      String at = one.getString("checked_at");
      all.add(
          new ReplayStatus.Laggard(
              one.getInteger("shard"),
              one.getLong("ids_left"),
              at == null ? null : OffsetDateTime.parse(at).toInstant(),
              one.getString("why")));
    }
    return all;
  }

  private static @Nullable Instant toInstant(Row row, String column) {
    OffsetDateTime at = row.getOffsetDateTime(column);
    return at == null ? null : at.toInstant();
  }
}
