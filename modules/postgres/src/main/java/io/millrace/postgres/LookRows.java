package io.millrace.postgres;

import io.millrace.port.MessageTrace;
import io.millrace.port.NodeStatus;
import io.millrace.port.ParkedContent;
import io.millrace.port.ParkedMessage;
import io.millrace.port.ParkedPage;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes values of the rows about parked messages, single messages and nodes. */
final class LookRows {
  private LookRows() {}

  static ParkedPage toPage(RowSet<Row> rows) {
    List<ParkedMessage> messages = new ArrayList<>(rows.size());
    Long next = null;
    for (Row row : rows) {
      next = row.getLong("next_after");
      if (row.getLong("id") != null) {
        messages.add(toParked(row));
      }
    }
    return new ParkedPage(messages, next);
  }

  static ParkedMessage toParked(Row row) {
    return new ParkedMessage(
        row.getLong("id"),
        row.getUUID("message_id"),
        row.getInteger("shard"),
        new ParkedMessage.Subject(
            row.getString("aggregate_type"),
            row.getString("aggregate_id"),
            row.getLong("revision"),
            row.getString("topic"),
            row.getString("event_type")),
        new ParkedMessage.Block(
            row.getString("state"),
            row.getString("kind"),
            row.getString("reason"),
            row.getInteger("attempts"),
            row.getString("wanted"),
            row.getInteger("overtaken")),
        row.getInteger("payload_bytes"),
        instant(row, "created_at"),
        instant(row, "parked_at"));
  }

  static ParkedContent toContent(Row row) {
    String[] headers = row.getArrayOfStrings("headers");
    return new ParkedContent(
        toParked(row),
        row.getString("message_key"),
        row.getString("schema_version"),
        row.getString("content_type"),
        headers == null ? List.of() : List.of(headers),
        row.getString("resolver"),
        row.getBuffer("payload"));
  }

  static MessageTrace toTrace(Row row) {
    return new MessageTrace(
        row.getString("state") == null ? null : toPlace(row),
        row.getLong("rows_looked_at"),
        row.getBoolean("is_complete"));
  }

  private static MessageTrace.Place toPlace(Row row) {
    return new MessageTrace.Place(
        row.getString("state"),
        row.getLong("id"),
        row.getInteger("shard"),
        row.getInteger("slot"),
        row.getString("topic"),
        row.getString("aggregate_type"),
        row.getString("aggregate_id"),
        instant(row, "created_at"),
        toReceipt(row));
  }

  private static MessageTrace.@Nullable Receipt toReceipt(Row row) {
    return row.getString("receipt_lane") == null
        ? null
        : new MessageTrace.Receipt(
            row.getString("receipt_lane"),
            row.getLong("receipt_epoch"),
            row.getLong("receipt_counter"),
            instant(row, "published_at"));
  }

  static NodeStatus toNode(Row row) {
    return new NodeStatus(
        row.getUUID("node"),
        row.getString("name"),
        row.getString("role"),
        row.getLong("counter"),
        instant(row, "started_at"),
        row.getLong("shards"),
        row.getBoolean("is_maintaining"));
  }

  private static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }
}
