package io.millrace.admin;

import io.millrace.client.Addresses;
import io.millrace.core.cursor.Snapshot;
import io.millrace.port.InboxStatus;
import io.millrace.port.ShardStatus;
import io.millrace.port.SlotStatus;
import io.millrace.port.StatusStore;
import io.millrace.port.Traffic;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells this process of every reading of the status, so that pages that are looked at need no
 * reading of their own. For one context.
 *
 * <pre>
 *   {"shards": ..., "partitions": ..., "inbox": ..., "sample": ...}
 *   {"trouble": "read_shard_status: Connection refused"}
 * </pre>
 *
 * The first three are the answers of the routes of these names, but for what verticles say of
 * themselves; {@code sample} is a {@link Sample}, and not there at the first reading.
 */
final class ReadingNews {
  private final EventBus bus;
  private final StatusStore store;
  private final String nodeId;
  private final long retentionMs;
  private @Nullable Snapshot looked;
  private long lookedAt;

  ReadingNews(EventBus bus, StatusStore store, String nodeId, long retentionMs) {
    this.bus = bus;
    this.store = store;
    this.nodeId = nodeId;
    this.retentionMs = retentionMs;
  }

  /** What was read together. */
  record Reading(List<ShardStatus> shards, List<SlotStatus> slots, InboxStatus inbox) {}

  /**
   * Reads how much was published meanwhile, and tells it all, without that if need be. Never fails.
   */
  Future<Void> tell(Reading reading) {
    return store
        .traffic(looked)
        .map(Optional::of)
        .otherwise(cause -> Optional.empty())
        .onSuccess(traffic -> tell(reading, traffic))
        .mapEmpty();
  }

  private void tell(Reading reading, Optional<Traffic> traffic) {
    long now = System.nanoTime();
    JsonObject body =
        new JsonObject()
            .put("shards", StatusJson.shards(reading.shards(), nodeId, Map.of()))
            .put("partitions", StatusJson.partitions(reading.slots(), retentionMs))
            .put("inbox", InboxJson.of(reading.inbox(), nodeId, List.of()));
    if (looked != null && traffic.isPresent()) {
      long tookMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(now - lookedAt));
      body.put(
          "sample", Sample.of(reading.shards(), traffic.get(), System.currentTimeMillis(), tookMs));
    }
    looked = traffic.map(Traffic::looked).orElse(null);
    lookedAt = now;
    publish(body);
  }

  void tellTrouble(Throwable cause) {
    looked = null;
    publish(new JsonObject().put("trouble", String.valueOf(cause.getMessage())));
  }

  private void publish(JsonObject body) {
    // Local: each node reads for itself.
    bus.publish(Addresses.statusReading(nodeId), body, new DeliveryOptions().setLocalOnly(true));
  }
}
