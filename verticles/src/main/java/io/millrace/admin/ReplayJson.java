package io.millrace.admin;

import io.millrace.port.ReplayStatus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The page about replays. Every field is always there, null where there is nothing. */
final class ReplayJson {
  private ReplayJson() {}

  static JsonObject of(List<ReplayStatus> replays) {
    JsonArray array = new JsonArray();
    replays.forEach(replay -> array.add(replay(replay)));
    return new JsonObject().put("replays", array);
  }

  private static JsonObject replay(ReplayStatus replay) {
    ReplayStatus.Request request = replay.request();
    ReplayStatus.Count count = replay.count();
    JsonArray laggards = new JsonArray();
    replay.laggards().forEach(laggard -> laggards.add(laggard(laggard)));
    return new JsonObject()
        .put("replay", replay.replay())
        .put("state", replay.state())
        .put("end_reason", replay.endReason())
        .put("actor", request.actor())
        .put("reason", request.reason())
        .put("from_at", text(request.fromAt()))
        .put("to_at", text(request.toAt()))
        .put("topic", request.topic())
        .put("aggregate_type", request.aggregateType())
        .put("aggregate_id", request.aggregateId())
        .put("target_topic", request.targetTopic())
        .put("rate", request.rate())
        .put("created_at", text(request.createdAt()))
        .put("finished_at", text(replay.finishedAt()))
        .put("shards", count.shards())
        .put("shards_done", count.shardsDone())
        .put("sent", count.sent())
        .put("skipped", count.skipped())
        .put("skip_reason", count.skipReason())
        .put("progress", count.progress())
        .put("messages_left", count.messagesLeft())
        .put("laggards", laggards);
  }

  private static JsonObject laggard(ReplayStatus.Laggard laggard) {
    return new JsonObject()
        .put("shard", laggard.shard())
        .put("ids_left", laggard.idsLeft())
        .put("checked_at", text(laggard.checkedAt()))
        .put("why", laggard.why());
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
