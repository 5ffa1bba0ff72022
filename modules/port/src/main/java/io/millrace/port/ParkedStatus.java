package io.millrace.port;

import java.time.Instant;

/**
 * Received messages that one consumer could not apply for one reason.
 *
 * @param reason as in {@link io.millrace.core.inbox.ParkReason#text()}
 * @param messages how many
 * @param isCounted false: the consumer has more than 10,000 parked messages, and only so many were
 *     looked at
 * @param oldestAt when the oldest of those looked at was parked
 */
public record ParkedStatus(
    String consumer, String reason, long messages, boolean isCounted, Instant oldestAt) {}
