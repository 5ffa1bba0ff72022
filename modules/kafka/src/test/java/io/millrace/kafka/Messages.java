package io.millrace.kafka;

import io.millrace.core.message.Header;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

/** Messages to publish. */
final class Messages {
  static final Instant CREATED_AT = Instant.parse("2026-03-01T12:34:56.789012Z");

  private Messages() {}

  /** A message whose payload is its id in digits. */
  static OutboxMessage of(String topic, String aggregateId, long id) {
    return with(topic, aggregateId, id, Payload.of(Long.toString(id)));
  }

  /** A payload that does not compress. */
  static OutboxMessage ofSize(String topic, String aggregateId, long id, int bytes) {
    byte[] payload = new byte[bytes];
    new Random(id).nextBytes(payload);
    return with(topic, aggregateId, id, Payload.of(payload));
  }

  /** Ids from first on, keys in turn. */
  static List<OutboxMessage> batch(String topic, int keys, long first, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> of(topic, "key-" + (first + i) % keys, first + i))
        .toList();
  }

  private static OutboxMessage with(String topic, String aggregateId, long id, Payload payload) {
    return new OutboxMessage(
        id,
        new UUID(id, id),
        0,
        "order",
        aggregateId,
        id,
        topic,
        null,
        "order-placed",
        "7",
        "application/json",
        List.of(new Header("traceparent", "00-a-b-01"), new Header("traceparent", "again")),
        payload,
        null,
        CREATED_AT,
        payload.size());
  }
}
