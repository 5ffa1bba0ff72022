package io.millrace.postgres;

import io.millrace.port.PublishingStatus;
import io.millrace.port.PublishingStatus.ReplicationSlot;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;

/** Makes a status of what a statement says about the publisher. */
final class PublishingRows {
  private PublishingRows() {}

  static PublishingStatus toStatus(RowSet<Row> rows) {
    List<ReplicationSlot> slots = new ArrayList<>();
    for (Row row : rows) {
      String name = row.getString("name");
      if (name != null) {
        slots.add(
            new ReplicationSlot(
                name,
                row.getBoolean("is_active"),
                row.getString("wal_status"),
                row.getLong("lag_bytes"),
                row.getLong("retained_bytes")));
      }
    }
    Row first = rows.iterator().next();
    return new PublishingStatus(
        first.getString("publisher"),
        first.getString("replication_slot"),
        first.getString("problem"),
        slots);
  }
}
