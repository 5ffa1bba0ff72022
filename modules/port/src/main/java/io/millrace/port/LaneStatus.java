package io.millrace.port;

import java.time.Instant;

/**
 * A quarantined topic of a shard as an operator looks at it.
 *
 * @param state open, or draining: what cannot be published is parked
 * @param reason what the broker said when the lane was opened
 * @param lagMs age of its oldest unpublished message, in milliseconds; 0: there is none
 * @param overtaken messages that the broker acknowledged although an earlier one of their aggregate
 *     had failed
 */
public record LaneStatus(
    String topic, String state, String reason, Instant openedAt, long lagMs, int overtaken) {}
