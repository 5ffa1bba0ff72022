package io.millrace.debezium;

import java.time.OffsetDateTime;
import java.util.List;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a message as Millrace's relay writes them, in the same order: CloudEvents,
 * Millrace's, the message's own. Absent where the message has none.
 */
final class OutboxHeaders {
  private OutboxHeaders() {}

  /**
   * Adds them.
   *
   * @param row a row of the outbox, as Debezium reads it
   */
  static void add(Headers headers, Struct row, String source) {
    add(headers, "ce_specversion", "1.0");
    add(headers, "ce_id", row.getString("message_id"));
    add(headers, "ce_source", source);
    add(headers, "ce_type", row.getString("event_type"));
    add(headers, "ce_time", time(row.getString("created_at")));
    add(headers, "ce_subject", row.getString("aggregate_id"));
    add(headers, "content-type", row.getString("content_type"));
    add(headers, "millrace_aggregate_type", row.getString("aggregate_type"));
    add(headers, "millrace_aggregate_id", row.getString("aggregate_id"));
    add(headers, "millrace_revision", decimal(row.getInt64("revision")));
    add(headers, "millrace_schema_version", row.getString("schema_version"));
    add(headers, "millrace_message_position", decimal(row.getInt64("id")));
    List<String> own = row.getArray("headers");
    for (int i = 0; own != null && i + 1 < own.size(); i += 2) {
      add(headers, own.get(i), own.get(i + 1));
    }
  }

  private static void add(Headers headers, String name, @Nullable String value) {
    if (value != null) {
      headers.add(name, value, Schema.STRING_SCHEMA);
    }
  }

  private static @Nullable String decimal(@Nullable Long number) {
    return number == null ? null : number.toString();
  }

  /** With as many digits as the relay writes. */
  private static String time(String zoned) {
    return OffsetDateTime.parse(zoned).toInstant().toString();
  }
}
