package io.millrace.port;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A parked message as an operator looks at it, without its payload.
 *
 * @param id its position in the outbox, which no other message has
 * @param messageId what its application or the database named it
 * @param subject what it is about
 * @param block why it is held back
 * @param payloadBytes how long its payload is; null: a tombstone
 */
public record ParkedMessage(
    long id,
    UUID messageId,
    int shard,
    Subject subject,
    Block block,
    @Nullable Integer payloadBytes,
    Instant createdAt,
    Instant parkedAt) {

  /** What a message is about. */
  public record Subject(
      String aggregateType,
      String aggregateId,
      @Nullable Long revision,
      String topic,
      String eventType) {}

  /**
   * Why it is held back.
   *
   * @param state retrying, or dead: somebody must say what is to become of it
   * @param kind message, behind or lane
   * @param wanted redrive or discard, until its shard's owner has done it; null: nothing
   * @param overtaken how many later messages of its aggregate had gone out before
   */
  public record Block(
      String state,
      String kind,
      String reason,
      int attempts,
      @Nullable String wanted,
      int overtaken) {}
}
