package io.millrace.core.message;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message to append. Start with {@link #of}, add with the {@code with} methods; {@link
 * MessageRules} says what is allowed.
 *
 * @param topic the Kafka topic: 1 to 249 of {@code a-z A-Z 0-9 . _ -}, not "." or ".."
 * @param aggregateType 1 to 200 characters
 * @param aggregateId 1 to 400 characters
 * @param eventType what happened (the intent), 1 to 200 characters
 * @param payload the bytes, or null for a tombstone
 * @param messageId the caller's own UUIDv7 whose time is near, or null: the database mints one
 * @param revision the aggregate's own version number, or null
 * @param messageKey the record key, 1 to 1,000 characters, or null for the aggregate id
 * @param schemaVersion 1 to 100 characters, or null
 * @param contentType 1 to 200 characters
 * @param headers at most 100, names 1 to 200 characters and none of Millrace's own ({@code
 *     content-type}, {@code ce_...}, {@code millrace_...}), together at most 16,384 characters
 * @param resolver the name of the resolver that fills a late-bound payload, or null
 */
public record NewMessage(
    String topic,
    String aggregateType,
    String aggregateId,
    String eventType,
    @Nullable Payload payload,
    @Nullable UUID messageId,
    @Nullable Long revision,
    @Nullable String messageKey,
    @Nullable String schemaVersion,
    String contentType,
    List<Header> headers,
    @Nullable String resolver) {

  public static final String JSON = "application/json";

  public NewMessage {
    headers = List.copyOf(headers);
  }

  /** A JSON message of an aggregate, with the database's message id. */
  public static NewMessage of(
      String topic,
      String aggregateType,
      String aggregateId,
      String eventType,
      @Nullable Payload payload) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        null,
        null,
        null,
        null,
        JSON,
        List.of(),
        null);
  }

  /**
   * The same message with that value as its payload, and the content type of the codec.
   *
   * @throws InvalidMessageException if the codec cannot write the value
   */
  public <T> NewMessage withValue(PayloadCodec<T> codec, T value) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        codec.write(value),
        messageId,
        revision,
        messageKey,
        schemaVersion,
        codec.contentType(),
        headers,
        resolver);
  }

  public NewMessage withMessageId(UUID messageId) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        headers,
        resolver);
  }

  public NewMessage withRevision(long revision) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        headers,
        resolver);
  }

  public NewMessage withMessageKey(String messageKey) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        headers,
        resolver);
  }

  public NewMessage withSchemaVersion(String schemaVersion) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        headers,
        resolver);
  }

  public NewMessage withContentType(String contentType) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        headers,
        resolver);
  }

  /** The same message with these headers and no others. */
  public NewMessage withHeaders(List<Header> all) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        all,
        resolver);
  }

  /** Adds one header; earlier ones stay, also of the same name. */
  public NewMessage withHeader(String name, String value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, value));
    return withHeaders(more);
  }

  public NewMessage withResolver(String resolver) {
    return new NewMessage(
        topic,
        aggregateType,
        aggregateId,
        eventType,
        payload,
        messageId,
        revision,
        messageKey,
        schemaVersion,
        contentType,
        headers,
        resolver);
  }
}
