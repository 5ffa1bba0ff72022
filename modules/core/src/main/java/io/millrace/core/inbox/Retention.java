package io.millrace.core.inbox;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The one place that ties how long ids are kept to how late a message may still come: what the
 * topic keeps (its retention and a segment), what the outbox may hold back, what may be replayed,
 * and a margin. If ids are kept for less, a late repeat finds its bucket gone and is parked.
 *
 * @param keptMs how long ids are kept after the message's own time
 * @param dwellMaxMs the longest time a message may wait in the outbox
 * @param replayMs how far back the outbox can be replayed
 */
public record Retention(long keptMs, long dwellMaxMs, long replayMs) {
  /** For clocks that differ, and for a retirement that comes early by part of a bucket. */
  public static final long MARGIN_MS = TimeUnit.DAYS.toMillis(1);

  /**
   * What one topic asks for.
   *
   * @param neededMs the sum; empty: no retention is long enough, the topic keeps records for ever
   */
  public record Need(TopicSettings topic, OptionalLong neededMs, boolean isMet, String text) {}

  /** Judges every topic. */
  public List<Need> needs(List<TopicSettings> topics) {
    return topics.stream().map(this::need).toList();
  }

  private Need need(TopicSettings topic) {
    if (topic.retentionMs().isEmpty()) {
      return new Need(
          topic,
          OptionalLong.empty(),
          false,
          "topic %s keeps records for ever (retention.ms = -1 or compacted), and inbox.retention_days keeps ids for %s"
              .formatted(topic.topic(), span(keptMs)));
    }
    long retentionMs = topic.retentionMs().getAsLong();
    long needed = sum(retentionMs, topic.segmentMs(), dwellMaxMs, replayMs, MARGIN_MS);
    String text =
        ("topic %s needs ids for %s (retention.ms %s + segment.ms %s + relay.dwell_max_ms %s"
                + " + maintenance.retention_ms %s + margin %s), and inbox.retention_days keeps them for %s")
            .formatted(
                topic.topic(),
                span(needed),
                span(retentionMs),
                span(topic.segmentMs()),
                span(dwellMaxMs),
                span(replayMs),
                span(MARGIN_MS),
                span(keptMs));
    return new Need(topic, OptionalLong.of(needed), keptMs >= needed, text);
  }

  /** Brokers take "a very long time" as the largest number there is. */
  private static long sum(long... parts) {
    long sum = 0;
    for (long part : parts) {
      sum = part > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + part;
    }
    return sum;
  }

  private static String span(long ms) {
    long days = TimeUnit.MILLISECONDS.toDays(ms);
    if (ms % TimeUnit.DAYS.toMillis(1) == 0) {
      return days + " d";
    }
    return ms % TimeUnit.HOURS.toMillis(1) == 0
        ? TimeUnit.MILLISECONDS.toHours(ms) + " h"
        : ms + " ms";
  }
}
