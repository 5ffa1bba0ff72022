package io.millrace.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a status source said of itself, or what its silence means.
 *
 * @param reasons why it is not ready, each with the source's name in front; empty: it is ready
 * @param warnings what is wrong although it is ready, with the source's name in front
 * @param shards what it does with the shards that it owns, by number
 * @param consumer the whole reply, if it is a consumer's; else null
 */
record StatusAnswer(
    List<String> reasons,
    List<String> warnings,
    Map<Integer, ShardWork> shards,
    @Nullable JsonObject consumer) {
  /** More would be the same story of another shard each. */
  static final int REASONS_MAX = 20;

  /** What a relay does with one shard, in its own words. */
  record ShardWork(@Nullable String state, @Nullable String reason) {}

  StatusAnswer {
    reasons = List.copyOf(reasons);
    warnings = List.copyOf(warnings);
    shards = Map.copyOf(shards);
  }

  /** What all of them say of shards. */
  static Map<Integer, ShardWork> work(List<StatusAnswer> statuses) {
    Map<Integer, ShardWork> work = new HashMap<>();
    statuses.forEach(status -> work.putAll(status.shards()));
    return work;
  }

  static StatusAnswer notReady(String reason) {
    return new StatusAnswer(List.of(reason), List.of(), Map.of(), null);
  }

  /**
   * Reads a reply.
   *
   * @throws RuntimeException if a field has another type than the contract says
   */
  static StatusAnswer parse(String name, JsonObject reply) {
    Boolean ready = reply.getBoolean("ready");
    if (ready == null) {
      throw new IllegalArgumentException("no field ready");
    }
    return new StatusAnswer(
        ready ? List.of() : reasons(name, reply),
        texts(name, reply.getJsonArray("warnings", new JsonArray())),
        shards(reply.getJsonArray("shards")),
        reply.containsKey("consumer") ? reply : null);
  }

  private static List<String> reasons(String name, JsonObject reply) {
    JsonArray given = reply.getJsonArray("reasons");
    if (given == null || given.isEmpty()) {
      return List.of(name + " is not ready");
    }
    return texts(name, given);
  }

  private static List<String> texts(String name, JsonArray given) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < Math.min(given.size(), REASONS_MAX); i++) {
      texts.add(name + ": " + given.getString(i));
    }
    if (given.size() > REASONS_MAX) {
      texts.add(name + ": " + (given.size() - REASONS_MAX) + " more reasons");
    }
    return texts;
  }

  private static Map<Integer, ShardWork> shards(@Nullable JsonArray given) {
    Map<Integer, ShardWork> shards = new HashMap<>();
    for (int i = 0; given != null && i < given.size(); i++) {
      JsonObject shard = given.getJsonObject(i);
      shards.put(
          shard.getInteger("shard"),
          new ShardWork(shard.getString("state"), shard.getString("reason")));
    }
    return shards;
  }
}
