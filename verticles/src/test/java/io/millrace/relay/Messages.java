package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Messages of 100 bytes for one topic. */
final class Messages {
  private Messages() {}

  static OutboxMessage of(long id, String order) {
    return new OutboxMessage(
        id,
        new UUID(7, id),
        0,
        "order",
        order,
        null,
        "orders",
        null,
        "placed",
        null,
        "application/json",
        List.of(),
        null,
        null,
        Instant.EPOCH,
        100);
  }
}
