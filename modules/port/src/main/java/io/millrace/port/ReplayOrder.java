package io.millrace.port;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which messages are to be published once more; what is null does not restrict.
 *
 * @param targetTopic where to; null: each message's own topic
 * @param rate messages a second, over all shards
 */
public record ReplayOrder(
    @Nullable Instant fromAt,
    @Nullable Instant toAt,
    @Nullable String topic,
    @Nullable String aggregateType,
    @Nullable String aggregateId,
    @Nullable String targetTopic,
    int rate) {}
