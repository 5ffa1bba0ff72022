package io.millrace.admin;

import io.millrace.port.ShardStatus;
import io.millrace.port.Traffic;
import io.millrace.port.Traffic.ShardTraffic;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How fast things moved between two readings, by owner: a point of each plot.
 *
 * <pre>
 *   {"at": 1764500000000, "backlog": 12,
 *    "owners": [{"node": "node-a", "shards": 16, "per_second": 812.5, "lag_ms": 40,
 *                "latency_ms": 6, "latency_max_ms": 31}]}
 * </pre>
 *
 * {@code node} is null for the shards that nobody owns, latencies where nothing was published.
 */
final class Sample {
  /** More lines than this nobody tells apart; the others are one. */
  static final int OWNERS_MAX = 12;

  private static final String OTHERS = "others";
  private static final String NOBODY = "";
  private static final double MS_PER_SECOND = 1_000;

  private Sample() {}

  /**
   * The sample of a reading.
   *
   * @param atMs milliseconds since 1970, of this node's clock
   * @param tookMs since the reading before, in milliseconds, at least 1
   */
  static JsonObject of(List<ShardStatus> shards, Traffic traffic, long atMs, long tookMs) {
    Map<Integer, ShardTraffic> moved = new HashMap<>();
    traffic.shards().forEach(shard -> moved.put(shard.shard(), shard));
    Map<String, Owner> owners = new TreeMap<>();
    long backlog = 0;
    for (ShardStatus shard : shards) {
      String node = shard.owner() == null ? NOBODY : String.valueOf(shard.node());
      boolean isSingle = owners.containsKey(node) || owners.size() < OWNERS_MAX;
      owners
          .computeIfAbsent(isSingle ? node : OTHERS, name -> new Owner())
          .add(shard, moved.get(shard.shard()));
      backlog += shard.backlog();
    }
    JsonArray array = new JsonArray();
    owners.forEach((name, owner) -> array.add(owner.toJson(name, tookMs)));
    return new JsonObject().put("at", atMs).put("backlog", backlog).put("owners", array);
  }

  private static final class Owner {
    private int shards;
    private long messages;
    private long lagMs;
    private final List<Long> latencies = new ArrayList<>();

    void add(ShardStatus shard, @Nullable ShardTraffic traffic) {
      shards++;
      lagMs = Math.max(lagMs, shard.lagMs());
      if (traffic != null) {
        messages += traffic.messages();
        Long latency = traffic.latencyMs();
        if (latency != null) {
          latencies.add(latency);
        }
      }
    }

    JsonObject toJson(String name, long tookMs) {
      Collections.sort(latencies);
      boolean isKnown = !latencies.isEmpty();
      return new JsonObject()
          .put("node", name.equals(NOBODY) ? null : name)
          .put("shards", shards)
          .put("per_second", Math.round(messages * MS_PER_SECOND * 10 / tookMs) / 10.0)
          .put("lag_ms", lagMs)
          .put("latency_ms", isKnown ? latencies.get((latencies.size() - 1) / 2) : null)
          .put("latency_max_ms", isKnown ? latencies.get(latencies.size() - 1) : null);
    }
  }
}
