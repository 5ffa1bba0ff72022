package io.millrace.admin;

import io.millrace.client.Addresses;
import io.millrace.port.ShardStatus;
import io.millrace.port.StorageStatus;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns readiness red for what the status shows and no single verticle sees, and logs it once.
 *
 * <ul>
 *   <li>A message has waited in the outbox for half as long as consumers count on: beyond the whole
 *       of it, a repeat may come when its id is not kept any more.
 *   <li>The database's transaction ids are nearly used up: PostgreSQL stops writing at the end.
 * </ul>
 */
final class OutboxAlarm {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxAlarm.class);

  /** PostgreSQL's default of {@code vacuum_failsafe_age}; about 500 million are left then. */
  static final long TRANSACTION_AGE_MAX = 1_600_000_000;

  private final String nodeId;
  private final long dwellMaxMs;
  private @Nullable String waiting;
  private @Nullable String ageing;
  private @Nullable MessageConsumer<JsonObject> status;

  OutboxAlarm(String nodeId, long dwellMaxMs) {
    this.nodeId = nodeId;
    this.dwellMaxMs = dwellMaxMs;
  }

  void listen(Vertx vertx) {
    status =
        vertx
            .eventBus()
            .localConsumer(Addresses.outboxStatus(nodeId), request -> request.reply(status()));
  }

  void look(List<ShardStatus> shards) {
    long lagMs = shards.stream().mapToLong(ShardStatus::lagMs).max().orElse(0);
    waiting =
        told(
            waiting,
            lagMs <= dwellMaxMs / 2
                ? null
                : "the oldest message has waited for %d ms, more than half of relay.dwell_max_ms = %d"
                    .formatted(lagMs, dwellMaxMs));
  }

  void look(StorageStatus storage) {
    ageing =
        told(
            ageing,
            storage.databaseAge() <= TRANSACTION_AGE_MAX
                ? null
                : "the database's oldest transaction id is %d transactions old, more than %d: PostgreSQL stops writing at 2144000000 unless it is vacuumed"
                    .formatted(storage.databaseAge(), TRANSACTION_AGE_MAX));
  }

  private static @Nullable String told(@Nullable String before, @Nullable String now) {
    if (before == null && now != null) {
      LOG.error(now);
    }
    return now;
  }

  /** What is wrong now, for people; empty: nothing. */
  List<String> reasons() {
    return Stream.of(waiting, ageing).filter(Objects::nonNull).toList();
  }

  private JsonObject status() {
    List<String> reasons = reasons();
    return new JsonObject().put("ready", reasons.isEmpty()).put("reasons", new JsonArray(reasons));
  }

  void end() {
    if (status != null) {
      status.unregister();
    }
  }
}
