package io.millrace.core.inbox;

import java.util.OptionalLong;
import java.util.UUID;

/**
 * What a broker says of a topic.
 *
 * @param topicId changes when the topic is deleted and made anew
 * @param partitionCount how many topic partitions it has
 * @param retentionMs {@code retention.ms}; empty: records are kept for ever, because it is -1 or
 *     because the topic is compacted without deletion
 * @param segmentMs {@code segment.ms}: so long may a record outlive its retention, since a segment
 *     goes as a whole
 */
public record TopicSettings(
    String topic, UUID topicId, int partitionCount, OptionalLong retentionMs, long segmentMs) {}
