package io.millrace.relay;

import io.millrace.client.Addresses;
import io.millrace.client.Notice;
import io.millrace.client.Watched;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.Parking;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tells those who listen what has been published, after the receipt that says so. While nobody
 * listens that costs one look at an empty map for each receipt.
 */
final class PublishedNotices {
  private final Watched watched;

  PublishedNotices(Watched watched) {
    this.watched = watched;
  }

  void tell(Recorded recorded) {
    if (watched.isEmpty()) {
      return;
    }
    Set<Long> parked = new HashSet<>();
    for (Parking parking : recorded.parked()) {
      parked.add(parking.message().id());
    }
    Map<String, List<Notice.Message>> byAddress = new HashMap<>();
    for (OutboxMessage message : recorded.messages()) {
      String address = Addresses.published(message.topic());
      if (!parked.contains(message.id()) && watched.contains(address)) {
        byAddress.computeIfAbsent(address, topic -> new ArrayList<>()).add(of(message));
      }
    }
    byAddress.forEach(watched::tell);
  }

  private static Notice.Message of(OutboxMessage message) {
    return new Notice.Message(message.messageId(), message.aggregateType(), message.aggregateId());
  }
}
