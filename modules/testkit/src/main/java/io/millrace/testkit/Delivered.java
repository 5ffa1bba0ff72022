package io.millrace.testkit;

import java.util.UUID;

/**
 * A record that a consumer read from a topic.
 *
 * @param place where it stands, for people: topic, topic partition and offset
 */
public record Delivered(
    UUID messageId, String topic, String aggregate, long revision, String place) {}
