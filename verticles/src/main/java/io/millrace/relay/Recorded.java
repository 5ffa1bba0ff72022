package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.Parking;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a receipt has recorded.
 *
 * @param messages all of them, published or parked
 * @param parked those that are parked
 * @param endedLane the lane that it has merged, or null
 */
record Recorded(List<OutboxMessage> messages, List<Parking> parked, @Nullable String endedLane) {
  static final Recorded NOTHING = new Recorded(List.of(), List.of(), null);

  Recorded {
    messages = List.copyOf(messages);
    parked = List.copyOf(parked);
  }
}
