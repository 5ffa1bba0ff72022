package io.millrace.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutboxRecordTest {
  private static final Schema ROW =
      SchemaBuilder.struct()
          .optional()
          .field("id", Schema.INT64_SCHEMA)
          .field("message_id", Schema.STRING_SCHEMA)
          .field("aggregate_type", Schema.STRING_SCHEMA)
          .field("aggregate_id", Schema.STRING_SCHEMA)
          .field("revision", Schema.OPTIONAL_INT64_SCHEMA)
          .field("message_key", Schema.OPTIONAL_STRING_SCHEMA)
          .field("event_type", Schema.STRING_SCHEMA)
          .field("schema_version", Schema.OPTIONAL_STRING_SCHEMA)
          .field("content_type", Schema.STRING_SCHEMA)
          .field("headers", SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).optional().build())
          .field("resolver", Schema.OPTIONAL_STRING_SCHEMA)
          .field("created_at", Schema.STRING_SCHEMA)
          .build();
  private static final Schema ORIGIN =
      SchemaBuilder.struct()
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .build();
  private static final Schema CHANGE =
      SchemaBuilder.struct()
          .field("op", Schema.STRING_SCHEMA)
          .field("source", ORIGIN)
          .field("after", ROW)
          .build();

  private final OutboxRecord<SourceRecord> transformation = new OutboxRecord<>();

  @BeforeEach
  void configure() {
    transformation.configure(Map.of("source", "/shop"));
  }

  private static Struct row() {
    return new Struct(ROW)
        .put("id", 7L)
        .put("message_id", "0190b2a4-0000-7000-8000-000000000001")
        .put("aggregate_type", "order")
        .put("aggregate_id", "o-1")
        .put("event_type", "paid")
        .put("content_type", "application/json")
        .put("created_at", "2026-11-30T12:00:00.12Z");
  }

  private static SourceRecord change(String operation, String table, Struct row) {
    Struct value =
        new Struct(CHANGE)
            .put("op", operation)
            .put("source", new Struct(ORIGIN).put("schema", "millrace").put("table", table))
            .put("after", row);
    return new SourceRecord(Map.of(), Map.of(), "t", CHANGE, value);
  }

  private static List<String> headers(SourceRecord record) {
    return StreamSupport.stream(record.headers().spliterator(), false)
        .map(header -> header.key() + "=" + header.value())
        .toList();
  }

  @Test
  void a_message_without_a_key_gets_its_aggregates_and_the_headers_that_it_has() {
    Struct row = row();

    SourceRecord result = transformation.apply(change("c", "outbox", row));

    assertThat(row.getString("message_key")).isEqualTo("o-1");
    assertThat(headers(result))
        .containsExactly(
            "ce_specversion=1.0",
            "ce_id=0190b2a4-0000-7000-8000-000000000001",
            "ce_source=/shop",
            "ce_type=paid",
            "ce_time=2026-11-30T12:00:00.120Z",
            "ce_subject=o-1",
            "content-type=application/json",
            "millrace_aggregate_type=order",
            "millrace_aggregate_id=o-1",
            "millrace_message_position=7");
  }

  @Test
  void a_key_of_its_own_stays_and_own_headers_follow_in_their_order() {
    Struct row =
        row()
            .put("message_key", "mine")
            .put("revision", 3L)
            .put("schema_version", "2")
            .put("headers", List.of("traceparent", "00", "n", "1", "n", "2"));

    SourceRecord result = transformation.apply(change("c", "outbox", row));

    assertThat(row.getString("message_key")).isEqualTo("mine");
    assertThat(headers(result))
        .containsSubsequence(
            "millrace_revision=3",
            "millrace_schema_version=2",
            "millrace_message_position=7",
            "traceparent=00",
            "n=1",
            "n=2");
  }

  @Test
  void what_is_no_insert_into_the_outbox_passes_as_it_is() {
    assertThat(headers(transformation.apply(change("c", "audit", row())))).isEmpty();
    assertThat(headers(transformation.apply(change("u", "outbox", row())))).isEmpty();
    SourceRecord text =
        new SourceRecord(Map.of(), Map.of(), "t", Schema.STRING_SCHEMA, "a heartbeat");
    assertThat(transformation.apply(text)).isSameAs(text);
    SourceRecord tombstone = new SourceRecord(Map.of(), Map.of(), "t", null, null);
    assertThat(transformation.apply(tombstone)).isSameAs(tombstone);
  }

  @Test
  void a_late_bound_message_is_an_error_that_names_it() {
    assertThatThrownBy(
            () -> transformation.apply(change("c", "outbox", row().put("resolver", "features"))))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("0190b2a4-0000-7000-8000-000000000001")
        .hasMessageContaining("the resolver features");
  }

  @Test
  void a_configuration_without_a_source_is_refused() {
    assertThatThrownBy(() -> new OutboxRecord<SourceRecord>().configure(Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("source");
  }
}
