package io.millrace.postgres;

import io.millrace.port.BucketStatus;
import io.millrace.port.InboxStatus;
import io.millrace.port.ParkedStatus;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** What a status page shows of the inbox, out of rows. */
final class InboxRows {
  private InboxRows() {}

  static InboxStatus toStatus(RowSet<Row> buckets, RowSet<Row> parked) {
    Row window = buckets.iterator().next();
    long bucketMs = window.getLong("bucket_ms");
    List<BucketStatus> bucketStatuses = new ArrayList<>(buckets.size());
    for (Row row : buckets) {
      if (row.getString("parent") != null) {
        bucketStatuses.add(toBucket(row, bucketMs));
      }
    }
    List<ParkedStatus> parkedStatuses = new ArrayList<>(parked.size());
    parked.forEach(row -> parkedStatuses.add(toParked(row)));
    return new InboxStatus(
        bucketMs,
        window.getInteger("floor"),
        window.getLong("retention_ms"),
        window.getInteger("buckets_ahead"),
        bucketStatuses,
        parkedStatuses);
  }

  private static BucketStatus toBucket(Row row, long bucketMs) {
    int bucket = row.getInteger("bucket");
    OffsetDateTime retiringAt = row.getOffsetDateTime("retiring_at");
    return new BucketStatus(
        row.getString("parent"),
        bucket,
        row.getString("state"),
        Instant.ofEpochMilli(bucket * bucketMs),
        Instant.ofEpochMilli((bucket + 1) * bucketMs),
        row.getLong("rows"),
        row.getBoolean("is_counted"),
        row.getLong("dead_rows"),
        row.getLong("bytes"),
        retiringAt == null ? null : retiringAt.toInstant(),
        row.getString("postponed"));
  }

  private static ParkedStatus toParked(Row row) {
    return new ParkedStatus(
        row.getString("consumer"),
        row.getString("reason"),
        row.getLong("messages"),
        row.getBoolean("is_counted"),
        row.getOffsetDateTime("oldest_at").toInstant());
  }
}
