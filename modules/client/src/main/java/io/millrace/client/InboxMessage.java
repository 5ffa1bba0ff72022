package io.millrace.client;

import io.millrace.core.inbox.Identity;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.message.HeaderName;
import io.millrace.core.message.Payload;
import io.millrace.core.message.PayloadCodec;
import io.millrace.core.message.UnreadablePayloadException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A received message with its identity.
 *
 * @param identity what tells it from every other message
 * @param record the record as it came, with every header
 */
public record InboxMessage(Identity identity, ReceivedRecord record) {

  /** The same in every delivery of this message. */
  public UUID messageId() {
    return identity.messageId();
  }

  /** The bytes, or null for a tombstone. */
  public @Nullable Payload payload() {
    return record.payload();
  }

  /** The payload as UTF-8 text; empty for a tombstone. */
  public String payloadText() {
    Payload payload = record.payload();
    return payload == null ? "" : new String(payload.bytes(), StandardCharsets.UTF_8);
  }

  /**
   * What the payload says; empty for a tombstone. A message without a content type, of a foreign
   * sender, is taken for what the codec reads.
   *
   * @throws MessageRefused if it is of another content type or cannot be read: thrown on by a
   *     handler, it parks the message at once, with this reason
   */
  public <T> Optional<T> value(PayloadCodec<T> codec) {
    Payload payload = record.payload();
    if (payload == null) {
      return Optional.empty();
    }
    String contentType = record.text(HeaderName.CONTENT_TYPE).orElse(codec.contentType());
    if (!codec.reads(contentType)) {
      throw new MessageRefused(
          "content-type must be " + codec.contentType() + ", found " + contentType);
    }
    try {
      return Optional.of(codec.read(payload));
    } catch (UnreadablePayloadException e) {
      throw new MessageRefused(String.valueOf(e.getMessage()), e);
    }
  }

  /** The record key as UTF-8 text; empty if it has none. */
  public String keyText() {
    Payload key = record.key();
    return key == null ? "" : new String(key.bytes(), StandardCharsets.UTF_8);
  }

  /** What happened: the event type; empty if the sender did not say. */
  public String eventType() {
    return record.text(HeaderName.TYPE).orElse("");
  }

  public Optional<String> aggregateType() {
    return record.text(HeaderName.AGGREGATE_TYPE);
  }

  public Optional<String> aggregateId() {
    return record.text(HeaderName.AGGREGATE_ID);
  }

  /**
   * The aggregate's own version number; empty if the message has none, or none that is a number.
   */
  public OptionalLong revision() {
    try {
      return record.text(HeaderName.REVISION).stream().mapToLong(Long::parseLong).findFirst();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
