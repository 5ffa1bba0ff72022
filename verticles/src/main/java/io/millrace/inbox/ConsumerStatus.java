package io.millrace.inbox;

import io.millrace.client.InboxConsumer;
import io.millrace.core.inbox.Retention;
import io.millrace.port.Source;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** How a consumer is, for readiness and for {@code GET /inbox}. */
record ConsumerStatus(
    InboxConsumer consumer,
    boolean isJoined,
    @Nullable Throwable sourceFailure,
    Retentions retentions,
    List<Feed> feeds,
    Source source) {

  /** Why it is not doing its work; empty: it is. */
  private List<String> reasons() {
    List<String> reasons = new ArrayList<>(retentions.refusals());
    String unchecked = retentions.failure();
    if (unchecked != null) {
      reasons.add(unchecked);
    }
    for (String topic : retentions.missing()) {
      reasons.add("topic " + topic + " does not exist");
    }
    Throwable failure = sourceFailure;
    if (failure != null) {
      reasons.add("reading fails: " + failure.getMessage());
    }
    if (!isJoined && reasons.isEmpty()) {
      reasons.add("it has not joined its group yet");
    }
    for (Feed feed : feeds) {
      String reason = feed.reason();
      if (reason != null) {
        reasons.add(reason);
      }
    }
    return reasons;
  }

  JsonObject toJson() {
    List<String> reasons = reasons();
    return new JsonObject()
        .put("ready", reasons.isEmpty())
        .put("reasons", new JsonArray(reasons))
        .put("consumer", consumer.name())
        .put("retention", retention())
        .put("topic_partitions", topicPartitions());
  }

  private JsonObject retention() {
    JsonArray topics = new JsonArray();
    for (Retention.Need need : retentions.needs()) {
      OptionalLong needed = need.neededMs();
      OptionalLong kept = need.topic().retentionMs();
      topics.add(
          new JsonObject()
              .put("topic", need.topic().topic())
              .put("retention_ms", kept.isPresent() ? kept.getAsLong() : null)
              .put("segment_ms", need.topic().segmentMs())
              .put("needed_ms", needed.isPresent() ? needed.getAsLong() : null)
              .put("is_met", need.isMet())
              .put("text", need.text()));
    }
    return new JsonObject().put("kept_ms", retentions.keptMs()).put("topics", topics);
  }

  private JsonArray topicPartitions() {
    JsonArray all = new JsonArray();
    for (Feed feed : feeds) {
      OptionalLong position = feed.position();
      OptionalLong lag = source.lag(feed.assignment());
      all.add(
          new JsonObject()
              .put("topic", feed.assignment().topic())
              .put("topic_partition", feed.assignment().topicPartition())
              .put("state", feed.state().name().toLowerCase(Locale.ROOT))
              .put("position", position.isPresent() ? position.getAsLong() : null)
              .put("lag", lag.isPresent() ? lag.getAsLong() : null)
              .put("reason", feed.reason()));
    }
    return all;
  }
}
