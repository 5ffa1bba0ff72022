package io.millrace.core.message;

import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What may be appended. The schema checks the same limits ({@code millrace.keeps_the_rules}), so a
 * message that arrives by SQL meets them too; here they are checked before anything is sent, so
 * that the caller's transaction stays usable.
 *
 * @param payloadBytesMax the largest payload, in bytes; the schema was laid with the same limit
 */
public record MessageRules(int payloadBytesMax) {
  public static final int TOPIC_CHARS_MAX = 249;
  public static final int AGGREGATE_TYPE_CHARS_MAX = 200;
  public static final int AGGREGATE_ID_CHARS_MAX = 400;
  public static final int MESSAGE_KEY_CHARS_MAX = 1_000;
  public static final int EVENT_TYPE_CHARS_MAX = 200;
  public static final int SCHEMA_VERSION_CHARS_MAX = 100;
  public static final int CONTENT_TYPE_CHARS_MAX = 200;
  public static final int RESOLVER_CHARS_MAX = 100;
  public static final int HEADERS_MAX = 100;
  public static final int HEADER_NAME_CHARS_MAX = 200;
  public static final int HEADERS_CHARS_MAX = 16_384;
  public static final int MESSAGES_PER_APPEND_MAX = 10_000;

  /** Payload bytes of one append: far from the 1 GB at which PostgreSQL refuses a request. */
  public static final long PAYLOAD_BYTES_PER_APPEND_MAX = 64_000_000;

  /** Kafka's own rule for topic names (org.apache.kafka.common.internals.Topic). */
  private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]+");

  /**
   * Checks one message.
   *
   * @throws InvalidMessageException naming the field, the limit and what was found
   */
  public void check(NewMessage message) {
    checkTopic(message.topic());
    checkText("aggregate_type", message.aggregateType(), AGGREGATE_TYPE_CHARS_MAX);
    checkText("aggregate_id", message.aggregateId(), AGGREGATE_ID_CHARS_MAX);
    checkText("event_type", message.eventType(), EVENT_TYPE_CHARS_MAX);
    checkText("content_type", message.contentType(), CONTENT_TYPE_CHARS_MAX);
    checkOptionalText("message_key", message.messageKey(), MESSAGE_KEY_CHARS_MAX);
    checkOptionalText("schema_version", message.schemaVersion(), SCHEMA_VERSION_CHARS_MAX);
    checkOptionalText("resolver", message.resolver(), RESOLVER_CHARS_MAX);
    checkHeaders(message.headers());
    checkPayload(message.payload());
    checkMessageId(message.messageId());
    Long revision = message.revision();
    if (revision != null && revision < 0) {
      throw new InvalidMessageException("revision must not be negative, found " + revision);
    }
  }

  /**
   * Checks the messages of one append.
   *
   * @throws InvalidMessageException naming the message's position (from 0), the field, the limit
   *     and what was found
   */
  public void check(List<NewMessage> messages) {
    if (messages.isEmpty() || messages.size() > MESSAGES_PER_APPEND_MAX) {
      throw new InvalidMessageException(
          "an append takes 1 to "
              + MESSAGES_PER_APPEND_MAX
              + " messages, found "
              + messages.size());
    }
    for (int i = 0; i < messages.size(); i++) {
      try {
        check(messages.get(i));
      } catch (InvalidMessageException e) {
        InvalidMessageException named =
            new InvalidMessageException("message " + i + ": " + e.getMessage());
        named.initCause(e);
        throw named;
      }
    }
    checkBytes(messages);
  }

  /**
   * Checks what is asked of {@code millrace.next_revision}, by the rules of a message that names
   * the same aggregate.
   *
   * @param expected the revision that the caller has seen, or empty for any
   * @throws InvalidMessageException naming the field, the limit and what was found
   */
  public void checkRevision(String aggregateType, String aggregateId, OptionalLong expected) {
    checkText("aggregate_type", aggregateType, AGGREGATE_TYPE_CHARS_MAX);
    checkText("aggregate_id", aggregateId, AGGREGATE_ID_CHARS_MAX);
    if (expected.isPresent() && expected.getAsLong() < 0) {
      throw new InvalidMessageException(
          "expected must not be negative, found " + expected.getAsLong());
    }
  }

  private static void checkBytes(List<NewMessage> messages) {
    long bytes = 0;
    for (NewMessage message : messages) {
      Payload payload = message.payload();
      bytes += payload == null ? 0 : payload.size();
    }
    if (bytes > PAYLOAD_BYTES_PER_APPEND_MAX) {
      throw new InvalidMessageException(
          "an append takes payloads of at most "
              + PAYLOAD_BYTES_PER_APPEND_MAX
              + " bytes together, found "
              + bytes);
    }
  }

  static boolean allowsHeaders(List<Header> headers) {
    try {
      checkHeaders(headers);
      return true;
    } catch (InvalidMessageException e) {
      return false;
    }
  }

  private static void checkTopic(String topic) {
    checkText("topic", topic, TOPIC_CHARS_MAX);
    if (!TOPIC.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
      throw new InvalidMessageException(
          "topic may contain only a-z, A-Z, 0-9, '.', '_' and '-' and not be '.' or '..', found '"
              + topic
              + "'");
    }
  }

  private static void checkOptionalText(String field, @Nullable String value, int charsMax) {
    if (value != null) {
      checkText(field, value, charsMax);
    }
  }

  private static void checkText(String field, @Nullable String value, int charsMax) {
    if (value == null) {
      throw new InvalidMessageException(field + " must not be null");
    }
    int length = value.codePointCount(0, value.length());
    if (length < 1 || length > charsMax) {
      throw new InvalidMessageException(
          field + " must have 1 to " + charsMax + " characters, found " + length);
    }
    checkEncodable(field, value);
  }

  /**
   * PostgreSQL's text holds every character but NUL, and UTF-8 has no form for half a surrogate
   * pair.
   */
  private static void checkEncodable(String field, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == 0) {
        throw new InvalidMessageException(
            field + " must not contain NUL (U+0000), found one at index " + i);
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < value.length()
          && Character.isLowSurrogate(value.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new InvalidMessageException(
            field + " must not contain an unpaired surrogate, found one at index " + i);
      }
    }
  }

  private static void checkHeaders(List<Header> headers) {
    if (headers.size() > HEADERS_MAX) {
      throw new InvalidMessageException(
          "headers must be at most " + HEADERS_MAX + ", found " + headers.size());
    }
    long chars = 0;
    for (Header header : headers) {
      checkText("header name", header.name(), HEADER_NAME_CHARS_MAX);
      checkNotReserved(header.name());
      checkEncodable("header '" + header.name() + "'", header.value());
      chars += header.name().length() + header.value().length();
    }
    if (chars > HEADERS_CHARS_MAX) {
      throw new InvalidMessageException(
          "headers must have at most "
              + HEADERS_CHARS_MAX
              + " characters together, found "
              + chars);
    }
  }

  /** Consumers take the last header of a name: a message's own must not stand in for Millrace's. */
  private static void checkNotReserved(String name) {
    if (HeaderName.isReserved(name)) {
      throw new InvalidMessageException(
          "header names content-type, ce_... and millrace_... are Millrace's own, found '"
              + name
              + "'");
    }
  }

  private void checkPayload(@Nullable Payload payload) {
    if (payload != null && payload.size() > payloadBytesMax) {
      throw new InvalidMessageException(
          "payload must have at most " + payloadBytesMax + " bytes, found " + payload.size());
    }
  }

  private static void checkMessageId(@Nullable UUID messageId) {
    if (messageId != null && !Uuid7.isUuid7(messageId)) {
      throw new InvalidMessageException("message_id must be a UUIDv7, found " + messageId);
    }
  }
}
