package io.millrace.admin;

import io.millrace.admin.StatusAnswer.ShardWork;
import io.millrace.port.LaneStatus;
import io.millrace.port.ShardStatus;
import io.millrace.port.SlotStatus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pages about the ring and the shards. Every field is always there, null where there is
 * nothing; sizes are integers, times ISO 8601 in UTC.
 */
final class StatusJson {
  private StatusJson() {}

  static JsonObject partitions(List<SlotStatus> slots, long retentionMs) {
    JsonArray array = new JsonArray();
    slots.forEach(slot -> array.add(slot(slot, retentionMs)));
    Integer current =
        slots.stream().filter(SlotStatus::isCurrent).map(SlotStatus::slot).findFirst().orElse(null);
    return new JsonObject().put("current", current).put("slots", array);
  }

  private static JsonObject slot(SlotStatus slot, long retentionMs) {
    return new JsonObject()
        .put("slot", slot.slot())
        .put("state", slot.state())
        .put("current", slot.isCurrent())
        .put("rows", slot.rows())
        .put("rows_counted", slot.isCounted())
        .put("dead_rows", slot.deadRows())
        .put("bytes", slot.bytes())
        .put("oldest_at", text(slot.oldestAt()))
        .put("newest_at", text(slot.newestAt()))
        .put("closed_at", text(slot.closedAt()))
        .put("published_at", text(slot.publishedAt()))
        .put("last_vacuum_at", text(slot.lastVacuumAt()))
        .put("why_not_cleaned", CleaningReason.of(slot, retentionMs));
  }

  /**
   * The page about the shards.
   *
   * @param nodeId this node's name; of other nodes' shards only the database tells
   * @param work what this node's relay says of the shards that it owns
   */
  static JsonObject shards(List<ShardStatus> shards, String nodeId, Map<Integer, ShardWork> work) {
    JsonArray array = new JsonArray();
    shards.forEach(
        shard -> {
          boolean isOwn = nodeId.equals(shard.node());
          array.add(shard(shard, isOwn ? work(work, shard.shard()) : new ShardWork(null, null)));
        });
    return new JsonObject().put("shards", array);
  }

  /**
   * Adds to a page about the shards what this node's relay says of those that it owns.
   *
   * @param page changed in place
   */
  static void addWork(JsonObject page, String nodeId, Map<Integer, ShardWork> work) {
    JsonArray shards = page.getJsonArray("shards");
    for (int i = 0; i < shards.size(); i++) {
      JsonObject shard = shards.getJsonObject(i);
      if (nodeId.equals(shard.getString("node"))) {
        ShardWork known = work(work, shard.getInteger("shard"));
        shard.put("state", known.state()).put("reason", known.reason());
      }
    }
  }

  private static ShardWork work(Map<Integer, ShardWork> work, int shard) {
    ShardWork known = work.get(shard);
    return known != null ? known : new ShardWork(null, "this node's relay gave no status of it");
  }

  private static JsonObject shard(ShardStatus shard, ShardWork work) {
    return new JsonObject()
        .put("shard", shard.shard())
        .put("owner", Objects.toString(shard.owner(), null))
        .put("node", shard.node())
        .put("epoch", shard.epoch())
        .put("paused", shard.paused())
        .put("head", shard.head())
        .put("sweeping", shard.isSweeping())
        .put("published_at", text(shard.publishedAt()))
        .put("backlog", shard.backlog())
        .put("lag_ms", shard.lagMs())
        .put("parked", shard.parked())
        .put("lanes", lanes(shard.lanes()))
        .put("state", work.state())
        .put("reason", work.reason());
  }

  private static JsonArray lanes(List<LaneStatus> lanes) {
    JsonArray array = new JsonArray();
    for (LaneStatus lane : lanes) {
      array.add(
          new JsonObject()
              .put("topic", lane.topic())
              .put("state", lane.state())
              .put("opened_at", text(lane.openedAt()))
              .put("lag_ms", lane.lagMs())
              .put("overtaken", lane.overtaken())
              .put("reason", lane.reason()));
    }
    return array;
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
