package io.millrace.admin;

import io.millrace.port.BucketStatus;
import io.millrace.port.InboxStatus;
import io.millrace.port.ParkedStatus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The page about the inbox: this node's consumers, and what the database keeps for all of them. */
final class InboxJson {
  private InboxJson() {}

  static JsonObject of(InboxStatus inbox, String nodeId, List<StatusAnswer> statuses) {
    JsonArray buckets = new JsonArray();
    inbox.buckets().forEach(bucket -> buckets.add(bucket(bucket)));
    JsonArray parked = new JsonArray();
    inbox.parked().forEach(some -> parked.add(parked(some)));
    return new JsonObject()
        .put("node", nodeId)
        .put("consumers", consumers(statuses))
        .put("retention_ms", inbox.retentionMs())
        .put("bucket_ms", inbox.bucketMs())
        .put("buckets_ahead", inbox.bucketsAhead())
        .put("floor", inbox.floor())
        .put("floor_at", Instant.ofEpochMilli(inbox.floor() * inbox.bucketMs()).toString())
        .put("parked", parked)
        .put("buckets", buckets);
  }

  /** What those of them say that are consumers. */
  static JsonArray consumers(List<StatusAnswer> statuses) {
    JsonArray consumers = new JsonArray();
    for (StatusAnswer status : statuses) {
      if (status.consumer() != null) {
        consumers.add(status.consumer());
      }
    }
    return consumers;
  }

  private static JsonObject bucket(BucketStatus bucket) {
    return new JsonObject()
        .put("parent", bucket.parent())
        .put("bucket", bucket.bucket())
        .put("state", bucket.state())
        .put("from", bucket.from().toString())
        .put("to", bucket.to().toString())
        .put("rows", bucket.rows())
        .put("rows_counted", bucket.isCounted())
        .put("dead_rows", bucket.deadRows())
        .put("bytes", bucket.bytes())
        .put("why_not_dropped", why(bucket));
  }

  private static @Nullable String why(BucketStatus bucket) {
    if (bucket.postponed() != null) {
      return bucket.postponed();
    }
    return switch (bucket.state()) {
      case "retiring" -> "waiting for transactions that may have claimed one of its messages";
      case "detached" -> "to be dropped in the next round";
      default -> "its messages can still be told from repeats";
    };
  }

  private static JsonObject parked(ParkedStatus parked) {
    return new JsonObject()
        .put("consumer", parked.consumer())
        .put("reason", parked.reason())
        .put("messages", parked.messages())
        .put("messages_counted", parked.isCounted())
        .put("oldest_at", parked.oldestAt().toString());
  }
}
