package io.millrace.core.inbox;

import io.millrace.core.message.HeaderName;
import io.millrace.core.message.Uuid7;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a consumer finds the identity of a record. A UUIDv7 carries its own time. Any other id is
 * foreign: it counts together with the sender's name (CloudEvents 1.0: source and id are unique
 * together), and its time has to come from a header that never changes.
 *
 * @param idHeader the header with the id, {@code ce_id} unless told otherwise
 * @param sourceHeader the header with the sender of a foreign id; a record without it has the empty
 *     sender
 * @param timeHeader the header with the time of a foreign message (RFC 3339, or milliseconds since
 *     1970 in digits), or null: foreign messages are refused
 */
public record IdentityRule(String idHeader, String sourceHeader, @Nullable String timeHeader) {
  private static final int FOREIGN_ID_CHARACTERS_MAX = 1_000;
  private static final int MS_DIGITS_MAX = 15;

  /** What Millrace's own relay writes; foreign messages are refused. */
  public static IdentityRule ofMillrace() {
    return new IdentityRule(HeaderName.ID, HeaderName.SOURCE, null);
  }

  /** The identity, or why there is none. */
  public record Finding(@Nullable Identity identity, String refusal) {}

  /** Looks for the identity of a record. */
  public Finding of(ReceivedRecord record) {
    Optional<String> id = record.text(idHeader);
    if (id.isEmpty() || id.get().isEmpty()) {
      return refused("header " + idHeader + " with the message id is missing or no text");
    }
    Optional<UUID> uuid = uuid7(id.get());
    if (uuid.isPresent()) {
      return found(uuid.get(), Uuid7.timeOf(uuid.get()).toEpochMilli());
    }
    return foreign(record, id.get());
  }

  private Finding foreign(ReceivedRecord record, String id) {
    String header = timeHeader;
    if (header == null) {
      return refused(
          "header %s has %s, which is no UUIDv7, and no time header is configured for foreign messages"
              .formatted(idHeader, shown(id)));
    }
    if (id.length() > FOREIGN_ID_CHARACTERS_MAX) {
      return refused(
          "header %s must have at most %d characters, found %d"
              .formatted(idHeader, FOREIGN_ID_CHARACTERS_MAX, id.length()));
    }
    Optional<String> time = record.text(header);
    if (time.isEmpty()) {
      return refused(
          "header %s with the time of foreign message %s is missing or no text"
              .formatted(header, shown(id)));
    }
    Optional<Long> ms = ms(time.get());
    if (ms.isEmpty()) {
      return refused(
          "header %s must be a time of RFC 3339 or milliseconds since 1970, found %s"
              .formatted(header, shown(time.get())));
    }
    return found(uuid8(record.text(sourceHeader).orElse(""), id), ms.get());
  }

  private static Finding found(UUID id, long timeMs) {
    return new Finding(new Identity(id, timeMs), "");
  }

  private static Finding refused(String why) {
    return new Finding(null, why);
  }

  private static Optional<UUID> uuid7(String text) {
    // UUID.fromString takes shorter forms too, which two senders could mean differently.
    if (text.length() != 36) {
      return Optional.empty();
    }
    try {
      UUID id = UUID.fromString(text);
      return Uuid7.isUuid7(id) ? Optional.of(id) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Optional<Long> ms(String text) {
    try {
      boolean isDigits =
          !text.isEmpty()
              && text.length() <= MS_DIGITS_MAX
              && text.chars().allMatch(IdentityRule::isDigit);
      return Optional.of(
          isDigits ? Long.parseLong(text) : OffsetDateTime.parse(text).toInstant().toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static boolean isDigit(int character) {
    return character >= '0' && character <= '9';
  }

  /**
   * The stand-in id of a record without an identity: where it lies. It only keeps one redelivery
   * from being parked twice.
   */
  public static Identity ofCoordinates(UUID topicId, ReceivedRecord record) {
    return new Identity(
        uuid8(topicId.toString(), record.topicPartition() + "@" + record.offset()),
        record.timestampMs());
  }

  /**
   * RFC 9562, section 5.8: 122 bits of SHA-256. The length keeps ("a", "bc") and ("ab", "c") apart.
   */
  private static UUID uuid8(String source, String id) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      String text = source.length() + ":" + source + id;
      ByteBuffer hash = ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
      return new UUID(
          (hash.getLong() & ~0xF000L) | 0x8000L, (hash.getLong() & ~(3L << 62)) | (1L << 63));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String shown(String text) {
    return "\"" + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + "\"";
  }
}
