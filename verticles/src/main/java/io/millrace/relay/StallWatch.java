package io.millrace.relay;

import io.millrace.port.Publisher.Ailment;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for topics that leave records unanswered although the brokers work, and has them
 * quarantined in all shards of the node at once: what they have in flight can be settled only by
 * discarding the producer that all share.
 */
final class StallWatch {
  private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);

  private static final long INTERVAL_MS = 1_000;

  /**
   * A topic that is deleted while records are on their way is asked about after this time, in
   * milliseconds: the producer would wait for it for ever.
   */
  private static final long GONE_AFTER_MS = 2_000;

  private final ShardContext context;
  private Future<?> asking = Future.succeededFuture();
  private long dueAtMs;

  StallWatch(ShardContext context) {
    this.context = context;
  }

  /** Asks about what has waited for too long. */
  void look(List<ShardRelay> shards) {
    long nowMs = ShardContext.nowMs();
    if (!asking.isComplete() || nowMs < dueAtMs) {
      return;
    }
    dueAtMs = nowMs + INTERVAL_MS;
    Set<String> suspects = unanswered(shards, nowMs - GONE_AFTER_MS);
    if (suspects.isEmpty()) {
      return;
    }
    Set<String> stalled = unanswered(shards, nowMs - context.config().topicStallAfterMs());
    asking =
        context
            .ports()
            .publisher()
            .ailing(List.copyOf(suspects))
            .onSuccess(ailing -> quarantine(shards, stalled, ailing))
            .onFailure(cause -> LOG.debug("no topic is to blame: {}", cause.getMessage()))
            .otherwiseEmpty();
  }

  private static Set<String> unanswered(List<ShardRelay> shards, long sinceMs) {
    Set<String> topics = new TreeSet<>();
    shards.forEach(shard -> topics.addAll(shard.unanswered(sinceMs)));
    return topics;
  }

  private static void quarantine(
      List<ShardRelay> shards, Set<String> stalled, Map<String, Ailment> ailing) {
    ailing.forEach(
        (topic, ailment) -> {
          if (ailment.isGone() || stalled.contains(topic)) {
            shards.forEach(shard -> shard.quarantine(topic, ailment.reason()));
          }
        });
  }
}
