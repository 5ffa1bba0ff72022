package io.millrace.admin;

import io.millrace.client.Addresses;
import io.millrace.port.ShardStatus;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns readiness red when a message has waited in the outbox for half as long as consumers count
 * on: beyond the whole of it, a repeat may come when its id is not kept any more.
 */
final class DwellAlarm {
  private static final Logger LOG = LoggerFactory.getLogger(DwellAlarm.class);

  private final String nodeId;
  private final long dwellMaxMs;
  private @Nullable String reason;
  private @Nullable MessageConsumer<JsonObject> status;

  DwellAlarm(String nodeId, long dwellMaxMs) {
    this.nodeId = nodeId;
    this.dwellMaxMs = dwellMaxMs;
  }

  void listen(Vertx vertx) {
    status =
        vertx
            .eventBus()
            .consumer(Addresses.outboxStatus(nodeId), request -> request.reply(status()));
  }

  void look(List<ShardStatus> shards) {
    long lagMs = shards.stream().mapToLong(ShardStatus::lagMs).max().orElse(0);
    boolean wasRaised = reason != null;
    reason =
        lagMs <= dwellMaxMs / 2
            ? null
            : "the oldest message has waited for %d ms, more than half of relay.dwell_max_ms = %d"
                .formatted(lagMs, dwellMaxMs);
    if (!wasRaised && reason != null) {
      LOG.error(reason);
    }
  }

  private JsonObject status() {
    JsonArray reasons = new JsonArray();
    if (reason != null) {
      reasons.add(reason);
    }
    return new JsonObject().put("ready", reasons.isEmpty()).put("reasons", reasons);
  }

  void end() {
    if (status != null) {
      status.unregister();
    }
  }
}
