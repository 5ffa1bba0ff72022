package io.millrace.admin;

import io.millrace.port.LaneStatus;
import io.millrace.port.LookStore;
import io.millrace.port.NodeStatus;
import io.millrace.port.ShardStatus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The nodes, the quarantined topics, and what this node is configured with. */
final class ClusterResource {
  private static final String LANE_CURSOR = "lane";
  static final int NODES_MAX = 1_000;

  private final LookStore look;
  private final SharedQuery<List<ShardStatus>> shards;
  private final Map<String, String> config;

  /**
   * @param config by dotted key, secrets masked
   */
  ClusterResource(
      LookStore look, SharedQuery<List<ShardStatus>> shards, Map<String, String> config) {
    this.look = look;
    this.shards = shards;
    this.config = config;
  }

  void addTo(Routes routes) {
    routes
        .read("/lanes", "the lanes", this::lanes)
        .read("/nodes", "the nodes", this::nodes)
        .read("/config", "the configuration", this::config);
  }

  private Future<Answer> lanes(RoutingContext context) {
    Fields fields = Fields.ofQuery(context);
    Long after = fields.cursor(LANE_CURSOR);
    int limit = fields.limit();
    fields.end();
    return shards.ask().map(all -> Answer.json(200, lanes(all, after == null ? 0 : after, limit)));
  }

  /**
   * Shards have few lanes each. The cursor is the number of lanes before: one that has ended
   * meanwhile moves the others by one.
   */
  private static JsonObject lanes(List<ShardStatus> shards, long before, int limit) {
    List<JsonObject> all = new ArrayList<>();
    for (ShardStatus shard : shards) {
      shard.lanes().forEach(lane -> all.add(lane(shard, lane)));
    }
    int from = (int) Math.min(before, all.size());
    int to = Math.min(from + limit, all.size());
    return new JsonObject()
        .put("lanes", new JsonArray(all.subList(from, to)))
        .put("next", Cursor.of(LANE_CURSOR, to < all.size() ? (long) to : null));
  }

  private static JsonObject lane(ShardStatus shard, LaneStatus lane) {
    return new JsonObject()
        .put("shard", shard.shard())
        .put("node", shard.node())
        .put("topic", lane.topic())
        .put("state", lane.state())
        .put("opened_at", lane.openedAt().toString())
        .put("lag_ms", lane.lagMs())
        .put("overtaken", lane.overtaken())
        .put("reason", lane.reason());
  }

  private Future<Answer> nodes(RoutingContext context) {
    Fields.ofQuery(context).end();
    return look.nodes(NODES_MAX)
        .map(all -> Answer.json(200, new JsonObject().put("nodes", nodes(all))));
  }

  static JsonArray nodes(List<NodeStatus> nodes) {
    JsonArray array = new JsonArray();
    for (NodeStatus node : nodes) {
      array.add(
          new JsonObject()
              .put("node", node.node().toString())
              .put("name", node.name())
              .put("role", node.role())
              .put("started_at", node.startedAt().toString())
              .put("heartbeats", node.heartbeats())
              .put("shards", node.shards())
              .put("maintaining", node.isMaintaining()));
    }
    return array;
  }

  private Future<Answer> config(RoutingContext context) {
    Fields.ofQuery(context).end();
    JsonObject values = new JsonObject();
    config.forEach(values::put);
    return Future.succeededFuture(Answer.json(200, new JsonObject().put("config", values)));
  }
}
