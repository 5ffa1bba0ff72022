package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.Snapshot;
import io.millrace.port.ShardStatus;
import io.millrace.port.Traffic;
import io.millrace.port.Traffic.ShardTraffic;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SampleTest {
  private static ShardStatus shard(int shard, String node, long backlog, long lagMs) {
    UUID owner = node == null ? null : UUID.nameUUIDFromBytes(node.getBytes());
    return new ShardStatus(
        shard, owner, node, 1, false, 0, false, null, backlog, lagMs, List.of(), 0);
  }

  private static JsonObject sample(List<ShardStatus> shards, ShardTraffic... traffic) {
    Traffic moved = new Traffic(new Snapshot("1:1:"), List.of(traffic));
    return Sample.of(shards, moved, 1_000, 4_000);
  }

  @Test
  void owners_have_the_sum_of_what_moved_the_greatest_lag_and_the_median_latency() {
    JsonObject sample =
        sample(
            List.of(
                shard(0, "a", 5, 10),
                shard(1, "a", 6, 900),
                shard(2, "a", 0, 0),
                shard(3, "b", 1, 30)),
            new ShardTraffic(0, 100, 7L),
            new ShardTraffic(1, 21, 500L),
            new ShardTraffic(2, 1, 9L));

    assertThat(sample.getLong("backlog")).isEqualTo(12);
    assertThat(sample.getJsonArray("owners"))
        .isEqualTo(
            new JsonArray()
                .add(owner("a", 3, 30.5, 900).put("latency_ms", 9L).put("latency_max_ms", 500L))
                .add(owner("b", 1, 0.0, 30).putNull("latency_ms").putNull("latency_max_ms")));
  }

  private static JsonObject owner(String node, int shards, double perSecond, long lagMs) {
    return new JsonObject()
        .put("node", node)
        .put("shards", shards)
        .put("per_second", perSecond)
        .put("lag_ms", lagMs);
  }

  @Test
  void shards_of_nobody_are_a_line_of_their_own_without_a_name() {
    JsonArray owners = sample(List.of(shard(0, null, 1, 5_000))).getJsonArray("owners");
    assertThat(owners.getJsonObject(0).getString("node")).isNull();
    assertThat(owners.getJsonObject(0).getLong("lag_ms")).isEqualTo(5_000);
  }

  @Test
  void of_very_many_owners_the_last_ones_are_one_line() {
    List<ShardStatus> shards = new ArrayList<>();
    for (int node = 0; node < 40; node++) {
      shards.add(shard(node, "node-" + node, 1, 0));
    }
    JsonArray owners = sample(shards).getJsonArray("owners");
    assertThat(owners).hasSize(Sample.OWNERS_MAX + 1);
    int sum = 0;
    for (int i = 0; i < owners.size(); i++) {
      sum += owners.getJsonObject(i).getInteger("shards");
    }
    assertThat(sum).isEqualTo(40);
  }
}
