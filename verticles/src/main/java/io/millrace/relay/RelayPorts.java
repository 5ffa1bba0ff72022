package io.millrace.relay;

import io.millrace.port.OutboxStore;
import io.millrace.port.ParkedStore;
import io.millrace.port.Publisher;
import io.millrace.port.ReceiptStore;
import io.millrace.port.RelayPermit;
import io.millrace.port.ReplayStore;
import io.millrace.port.Resolver;
import io.millrace.port.ShardStore;
import java.util.List;

/** Everything outside that a relay needs. */
public record RelayPorts(
    OutboxStore outbox,
    ReceiptStore receipts,
    ParkedStore parked,
    ReplayStore replays,
    ShardStore shards,
    RelayPermit permit,
    Publisher publisher,
    List<Resolver> resolvers) {
  public RelayPorts {
    resolvers = List.copyOf(resolvers);
  }

  /** The same with another way to the broker. */
  RelayPorts withPublisher(Publisher other) {
    return new RelayPorts(outbox, receipts, parked, replays, shards, permit, other, resolvers);
  }
}
