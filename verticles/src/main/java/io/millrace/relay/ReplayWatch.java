package io.millrace.relay;

import io.millrace.port.ReplayTask;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then whether a shard of the node has a replay to carry out: one cheap statement for
 * all of them, so that idle shards cost nothing.
 */
final class ReplayWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ReplayWatch.class);

  private static final long INTERVAL_MS = 1_000;

  private final ShardContext context;
  private Future<?> looking = Future.succeededFuture();
  private long dueAtMs;

  ReplayWatch(ShardContext context) {
    this.context = context;
  }

  /** Gives shards that have nothing to replay under way what there is. */
  void look(List<ShardRelay> shards) {
    long nowMs = ShardContext.nowMs();
    if (!looking.isComplete() || nowMs < dueAtMs) {
      return;
    }
    dueAtMs = nowMs + INTERVAL_MS;
    Map<Integer, ShardRelay> free = new HashMap<>();
    shards.stream().filter(ShardRelay::mayReplay).forEach(shard -> free.put(shard.shard(), shard));
    if (free.isEmpty()) {
      return;
    }
    looking =
        context
            .ports()
            .replays()
            .open(free.keySet())
            .onSuccess(tasks -> tasks.forEach(task -> give(free, task)))
            .onFailure(cause -> LOG.debug("replays wait: {}", cause.getMessage()))
            .otherwiseEmpty();
  }

  private static void give(Map<Integer, ShardRelay> free, ReplayTask task) {
    ShardRelay shard = free.get(task.shard());
    if (shard != null) {
      shard.replay(task);
    }
  }
}
