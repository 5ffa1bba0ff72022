package io.millrace.kafka;

import io.millrace.core.message.Header;
import io.millrace.core.message.HeaderName;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/** Makes Kafka records of messages, with headers as {@link HeaderName} lists them. */
final class RecordEncoder {
  private static final byte[] CLOUD_EVENTS_1_0 = utf8("1.0");

  private final byte[] source;

  RecordEncoder(String source) {
    this.source = utf8(source);
  }

  /** The bytes that decide the topic partition. */
  static byte[] key(OutboxMessage message) {
    return utf8(message.recordKey());
  }

  /** The payload's bytes are shared with the record, not copied. */
  ProducerRecord<byte[], byte[]> encode(OutboxMessage message, byte[] key, int topicPartition) {
    Payload payload = message.payload();
    byte[] value = payload == null ? null : payload.bytes();
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(message.topic(), topicPartition, key, value);
    addCloudEvent(record.headers(), message);
    addMillrace(record.headers(), message);
    for (Header header : message.headers()) {
      record.headers().add(header.name(), utf8(header.value()));
    }
    return record;
  }

  private void addCloudEvent(Headers headers, OutboxMessage message) {
    headers
        .add(HeaderName.SPEC_VERSION, CLOUD_EVENTS_1_0)
        .add(HeaderName.ID, utf8(message.messageId().toString()))
        .add(HeaderName.SOURCE, source)
        .add(HeaderName.TYPE, utf8(message.eventType()))
        .add(HeaderName.TIME, utf8(message.createdAt().toString()))
        .add(HeaderName.SUBJECT, utf8(message.aggregateId()))
        .add(HeaderName.CONTENT_TYPE, utf8(message.contentType()));
  }

  private static void addMillrace(Headers headers, OutboxMessage message) {
    headers
        .add(HeaderName.AGGREGATE_TYPE, utf8(message.aggregateType()))
        .add(HeaderName.AGGREGATE_ID, utf8(message.aggregateId()));
    Long revision = message.revision();
    if (revision != null) {
      headers.add(HeaderName.REVISION, utf8(revision.toString()));
    }
    String schemaVersion = message.schemaVersion();
    if (schemaVersion != null) {
      headers.add(HeaderName.SCHEMA_VERSION, utf8(schemaVersion));
    }
    headers.add(HeaderName.MESSAGE_POSITION, utf8(Long.toString(message.id())));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
