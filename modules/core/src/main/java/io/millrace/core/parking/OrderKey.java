package io.millrace.core.parking;

import io.millrace.core.message.OutboxMessage;

/**
 * What order is kept for: an aggregate within a topic. While a message of a key is parked, the
 * later ones are parked behind it.
 */
public record OrderKey(String aggregateType, String aggregateId, String topic) {

  public static OrderKey of(OutboxMessage message) {
    return new OrderKey(message.aggregateType(), message.aggregateId(), message.topic());
  }
}
