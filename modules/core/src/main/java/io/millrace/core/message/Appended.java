package io.millrace.core.message;

import java.util.UUID;

/**
 * An appended message. It exists once the transaction has committed, and never if it has not.
 *
 * @param id its position in the outbox; within an aggregate ids rise in commit order
 * @param messageId the stable UUIDv7 that every publish attempt carries
 * @param shard the hash slot of its aggregate
 */
public record Appended(long id, UUID messageId, int shard) {}
