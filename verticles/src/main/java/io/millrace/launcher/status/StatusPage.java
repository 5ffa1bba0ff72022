package io.millrace.launcher.status;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A reading in lines for people. Pure. */
final class StatusPage {
  private static final int SHOWN_MAX = 10;
  private static final double MS_PER_SECOND = 1_000;

  private StatusPage() {}

  /** Everything that an operator looks at first. */
  static List<String> of(Reading reading) {
    List<String> lines = new ArrayList<>();
    lines.add(reading.isReady() ? "ready" : "NOT READY");
    reading
        .ready()
        .getJsonArray("reasons", new JsonArray())
        .forEach(reason -> lines.add("  " + reason));
    lines.addAll(ring(reading.ring()));
    lines.addAll(shards(reading.shards()));
    lines.addAll(inbox(reading.inbox()));
    lines.addAll(nodes(reading.nodes()));
    return lines;
  }

  private static Stream<JsonObject> each(JsonObject page, String list) {
    return page.getJsonArray(list, new JsonArray()).stream().map(JsonObject.class::cast);
  }

  private static List<String> ring(JsonObject ring) {
    Map<String, Long> states =
        each(ring, "slots")
            .collect(
                Collectors.groupingBy(
                    slot -> slot.getString("state"), TreeMap::new, Collectors.counting()));
    List<String> lines = new ArrayList<>();
    lines.add(
        "ring     %s; %s"
            .formatted(
                states.entrySet().stream()
                    .map(entry -> entry.getValue() + " " + entry.getKey())
                    .collect(Collectors.joining(", ")),
                bytes(sum(ring, "slots", slot -> slot.getLong("bytes")))));
    each(ring, "slots")
        .filter(slot -> slot.getString("state").equals("draining"))
        .limit(SHOWN_MAX)
        .forEach(
            slot ->
                lines.add(
                    "  slot %d waits: %s"
                        .formatted(slot.getInteger("slot"), slot.getString("why_not_cleaned"))));
    return lines;
  }

  private static List<String> shards(JsonObject shards) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "shards   %d: %d without owner, %d paused; backlog %,d, oldest %.1f s, parked %,d, quarantined topics %d"
            .formatted(
                count(shards, shard -> true),
                count(shards, shard -> shard.getValue("owner") == null && !isPaused(shard)),
                count(shards, StatusPage::isPaused),
                sum(shards, "shards", shard -> shard.getLong("backlog")),
                oldestMs(shards) / MS_PER_SECOND,
                sum(shards, "shards", shard -> shard.getLong("parked")),
                each(shards, "shards")
                    .flatMap(shard -> each(shard, "lanes"))
                    .map(lane -> lane.getString("topic"))
                    .distinct()
                    .count()));
    each(shards, "shards")
        .filter(shard -> shard.getValue("reason") != null)
        .limit(SHOWN_MAX)
        .forEach(
            shard ->
                lines.add(
                    "  shard %d of %s: %s"
                        .formatted(
                            shard.getInteger("shard"),
                            shard.getString("node"),
                            shard.getString("reason"))));
    each(shards, "shards")
        .flatMap(shard -> each(shard, "lanes"))
        .limit(SHOWN_MAX)
        .forEach(
            lane ->
                lines.add(
                    "  topic %s is quarantined: %s"
                        .formatted(lane.getString("topic"), lane.getString("reason"))));
    return lines;
  }

  private static boolean isPaused(JsonObject shard) {
    return Boolean.TRUE.equals(shard.getBoolean("paused"));
  }

  private static long count(JsonObject shards, Predicate<JsonObject> counts) {
    return each(shards, "shards").filter(counts).count();
  }

  private static long oldestMs(JsonObject shards) {
    return each(shards, "shards").mapToLong(shard -> shard.getLong("lag_ms")).max().orElse(0);
  }

  private static long sum(JsonObject page, String list, ToLongFunction<JsonObject> value) {
    return each(page, list).mapToLong(value).sum();
  }

  private static List<String> inbox(JsonObject inbox) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "inbox    %d buckets, %s"
            .formatted(
                each(inbox, "buckets").count(),
                bytes(sum(inbox, "buckets", bucket -> bucket.getLong("bytes")))));
    each(inbox, "consumers")
        .forEach(
            consumer ->
                lines.add(
                    "  consumer %s: %,d records to read%s"
                        .formatted(
                            consumer.getString("consumer"),
                            sum(consumer, "topic_partitions", one -> one.getLong("lag", 0L)),
                            reasons(consumer))));
    each(inbox, "parked")
        .limit(SHOWN_MAX)
        .forEach(
            parked ->
                lines.add(
                    "  parked by %s: %,d %s"
                        .formatted(
                            parked.getString("consumer"),
                            parked.getLong("messages"),
                            parked.getString("reason"))));
    return lines;
  }

  private static String reasons(JsonObject consumer) {
    JsonArray reasons = consumer.getJsonArray("reasons", new JsonArray());
    return reasons.isEmpty()
        ? ""
        : ", " + reasons.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static List<String> nodes(JsonObject nodes) {
    List<String> lines = new ArrayList<>();
    lines.add("nodes    " + each(nodes, "nodes").map(n -> n.getString("name")).distinct().count());
    each(nodes, "nodes")
        .limit(SHOWN_MAX)
        .forEach(
            node ->
                lines.add(
                    "  %s, %s%s, %,d heartbeats since %s"
                        .formatted(
                            node.getString("name"),
                            node.getString("role"),
                            work(node),
                            node.getLong("heartbeats"),
                            node.getString("started_at"))));
    return lines;
  }

  private static String work(JsonObject node) {
    if (node.getString("role").equals("relay")) {
      return " of " + node.getInteger("shards") + " shards";
    }
    return Boolean.TRUE.equals(node.getBoolean("maintaining")) ? " now" : " standing by";
  }

  /** The shards that are furthest behind, one a line. */
  static List<String> furthestBehind(Reading reading, int max) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%6s %-20s %9s %9s %7s  %s"
            .formatted("shard", "node", "backlog", "oldest s", "parked", "state"));
    each(reading.shards(), "shards")
        .sorted(
            Comparator.<JsonObject>comparingLong(shard -> shard.getLong("lag_ms"))
                .thenComparingLong(shard -> shard.getLong("backlog"))
                .reversed())
        .limit(max)
        .forEach(
            shard ->
                lines.add(
                    "%6d %-20s %,9d %9.1f %,7d  %s"
                        .formatted(
                            shard.getInteger("shard"),
                            shard.getString("node", "none"),
                            shard.getLong("backlog"),
                            shard.getLong("lag_ms") / MS_PER_SECOND,
                            shard.getLong("parked"),
                            isPaused(shard) ? "paused" : shard.getString("state", ""))));
    return lines;
  }

  private static String bytes(long bytes) {
    if (bytes < 1 << 20) {
      return "%,d KiB".formatted(bytes >> 10);
    }
    return "%,.1f MiB".formatted(bytes / (double) (1 << 20));
  }
}
