package io.millrace.core.inbox;

import java.util.UUID;

/**
 * What makes two deliveries the same message, and the time that decides its bucket. Both are a pure
 * function of the message itself, so the same message always meets the same unique index.
 *
 * @param messageId the UUIDv7 that it carries, or a UUIDv8 made of a foreign id
 * @param timeMs milliseconds since 1970
 */
public record Identity(UUID messageId, long timeMs) {}
