package io.millrace.core.message;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Messages of 100 bytes. */
public final class Messages {
  private Messages() {}

  public static OutboxMessage of(long id, String order, String topic) {
    return new OutboxMessage(
        id,
        new UUID(7, id),
        0,
        "order",
        order,
        null,
        topic,
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
