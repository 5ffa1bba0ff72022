package io.millrace.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.HeaderName;
import io.millrace.core.message.OutboxMessage;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class RecordEncoderTest {
  private final RecordEncoder encoder = new RecordEncoder("/shop/outbox");

  @Test
  void a_record_has_the_headers_of_cloud_events_then_millraces_then_the_messages_own() {
    assertThat(headers(encode(Messages.of("orders", "o-1", 42))))
        .containsExactly(
            "ce_specversion=1.0",
            "ce_id=" + new UUID(42, 42),
            "ce_source=/shop/outbox",
            "ce_type=order-placed",
            "ce_time=2026-03-01T12:34:56.789012Z",
            "ce_subject=o-1",
            "content-type=application/json",
            "millrace_aggregate_type=order",
            "millrace_aggregate_id=o-1",
            "millrace_revision=42",
            "millrace_schema_version=7",
            "millrace_message_position=42",
            "traceparent=00-a-b-01",
            "traceparent=again");
  }

  @Test
  void what_a_message_does_not_have_has_no_header_and_no_value() {
    ProducerRecord<byte[], byte[]> record = encode(bare(null));

    assertThat(headers(record))
        .noneMatch(header -> header.startsWith(HeaderName.REVISION))
        .noneMatch(header -> header.startsWith(HeaderName.SCHEMA_VERSION));
    assertThat(record.value()).isNull();
  }

  @Test
  void the_key_is_the_aggregate_id_unless_the_message_has_one() {
    assertThat(new String(RecordEncoder.key(bare(null)), UTF_8)).isEqualTo("\u00e4-1");
    assertThat(new String(RecordEncoder.key(bare("mine")), UTF_8)).isEqualTo("mine");
  }

  @Test
  void the_payload_goes_as_it_is_to_the_topic_partition_that_was_chosen() {
    OutboxMessage message = Messages.ofSize("orders", "o-1", 1, 1_000);
    ProducerRecord<byte[], byte[]> record = encode(message);

    assertThat(record.value()).isSameAs(message.payload().bytes());
    assertThat(record.topic()).isEqualTo("orders");
    assertThat(record.partition()).isEqualTo(3);
    assertThat(record.timestamp()).isNull();
  }

  private ProducerRecord<byte[], byte[]> encode(OutboxMessage message) {
    return encoder.encode(message, RecordEncoder.key(message), 3);
  }

  private static List<String> headers(ProducerRecord<byte[], byte[]> record) {
    return StreamSupport.stream(record.headers().spliterator(), false)
        .map(header -> header.key() + "=" + new String(header.value(), UTF_8))
        .toList();
  }

  private static OutboxMessage bare(String messageKey) {
    return new OutboxMessage(
        1,
        new UUID(1, 1),
        0,
        "order",
        "\u00e4-1",
        null,
        "orders",
        messageKey,
        "order-gone",
        null,
        "application/json",
        List.of(),
        null,
        null,
        Messages.CREATED_AT,
        0);
  }
}
