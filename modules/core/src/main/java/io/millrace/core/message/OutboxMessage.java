package io.millrace.core.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code millrace.outbox} as a relay reads it.
 *
 * @param id the position in the outbox; within an aggregate ids rise in commit order
 * @param messageId the stable UUIDv7 that every publish attempt carries
 * @param shard the hash slot of the aggregate
 * @param revision the aggregate's own version number, or null
 * @param messageKey the record key, or null for the aggregate id
 * @param schemaVersion the version of the payload's schema, or null
 * @param payload the bytes, or null for a tombstone
 * @param resolver who fills a late-bound payload, or null: the payload is what it is
 * @param createdAt when it was appended, by the database's clock
 * @param bytes the size that counts against a batch: payload, key and headers
 */
public record OutboxMessage(
    long id,
    UUID messageId,
    int shard,
    String aggregateType,
    String aggregateId,
    @Nullable Long revision,
    String topic,
    @Nullable String messageKey,
    String eventType,
    @Nullable String schemaVersion,
    String contentType,
    List<Header> headers,
    @Nullable Payload payload,
    @Nullable String resolver,
    Instant createdAt,
    long bytes) {

  public OutboxMessage {
    headers = List.copyOf(headers);
  }

  /** The key of the Kafka record: same key, same topic partition. */
  public String recordKey() {
    return messageKey != null ? messageKey : aggregateId;
  }

  /** The same message with the payload that its resolver made, which needs no resolver any more. */
  public OutboxMessage resolved(@Nullable Payload payload, List<Header> headers) {
    return resolved(payload, headers, messageKey);
  }

  /**
   * As {@link #resolved(Payload, List)}, with a record key that was not known when the message was
   * appended.
   *
   * @param key 1 to {@value MessageRules#MESSAGE_KEY_CHARS_MAX} characters, or null for the
   *     aggregate id
   */
  public OutboxMessage resolved(
      @Nullable Payload payload, List<Header> headers, @Nullable String key) {
    return new OutboxMessage(
        id,
        messageId,
        shard,
        aggregateType,
        aggregateId,
        revision,
        topic,
        key,
        eventType,
        schemaVersion,
        contentType,
        headers,
        payload,
        null,
        createdAt,
        bytes - size(this.payload) + size(payload));
  }

  /** The same message with other headers. */
  public OutboxMessage withHeaders(List<Header> other) {
    return new OutboxMessage(
        id,
        messageId,
        shard,
        aggregateType,
        aggregateId,
        revision,
        topic,
        messageKey,
        eventType,
        schemaVersion,
        contentType,
        other,
        payload,
        resolver,
        createdAt,
        bytes - size(headers) + size(other));
  }

  private static long size(List<Header> headers) {
    return headers.stream().mapToLong(h -> h.name().length() + h.value().length()).sum();
  }

  private static long size(@Nullable Payload payload) {
    return payload == null ? 0 : payload.size();
  }

  /**
   * The same message to be published once more, marked with the replay that does it.
   *
   * @param targetTopic where to, or null for its own topic
   */
  public OutboxMessage replayed(long replay, @Nullable String targetTopic) {
    Header mark = new Header(HeaderName.REPLAY, Long.toString(replay));
    // In front: of a name that repeats, the first one is Millrace's.
    List<Header> marked = new ArrayList<>(headers.size() + 1);
    marked.add(mark);
    marked.addAll(headers);
    return new OutboxMessage(
        id,
        messageId,
        shard,
        aggregateType,
        aggregateId,
        revision,
        targetTopic == null ? topic : targetTopic,
        messageKey,
        eventType,
        schemaVersion,
        contentType,
        marked,
        payload,
        resolver,
        createdAt,
        bytes + mark.name().length() + mark.value().length());
  }
}
