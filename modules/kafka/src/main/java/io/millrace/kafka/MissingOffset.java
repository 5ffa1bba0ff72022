package io.millrace.kafka;

import java.util.Map;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/** Says for people why a topic partition cannot be read from where it was to be. */
final class MissingOffset {
  private MissingOffset() {}

  static String reason(TopicPartition topicPartition, InvalidOffsetException cause) {
    if (cause instanceof LogTruncationException truncated) {
      return truncated(topicPartition, truncated);
    }
    if (cause instanceof OffsetOutOfRangeException outOfRange) {
      return "%s has no offset %s: its log has been truncated, has expired or was made anew"
          .formatted(topicPartition, outOfRange.offsetOutOfRangePartitions().get(topicPartition));
    }
    return "%s has no position: %s".formatted(topicPartition, cause.getMessage());
  }

  static String epochTooHigh(TopicPartition topicPartition, int wanted, int newest) {
    return "%s has no leader epoch %d, its newest is %d: it was restored from an older state or made anew"
        .formatted(topicPartition, wanted, newest);
  }

  private static String truncated(TopicPartition topicPartition, LogTruncationException cause) {
    Long offset = cause.offsetOutOfRangePartitions().get(topicPartition);
    Map<TopicPartition, OffsetAndMetadata> divergent = cause.divergentOffsets();
    OffsetAndMetadata first = divergent.get(topicPartition);
    String where = first == null ? "somewhere below" : "from offset " + first.offset() + " on";
    return "the log of %s was truncated below offset %s: it differs %s"
        .formatted(topicPartition, offset, where);
  }
}
