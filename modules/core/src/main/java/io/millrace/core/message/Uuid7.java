package io.millrace.core.message;

import java.time.Instant;
import java.util.UUID;

/** UUID version 7 (RFC 9562, section 5.7): 48 bits of milliseconds since 1970, then randomness. */
public final class Uuid7 {
  private static final int VERSION = 7;
  private static final int IETF_VARIANT = 2;

  private Uuid7() {}

  /**
   * Builds one.
   *
   * @param atMs milliseconds since 1970, 0 to 2^48 - 1
   * @param randomHigh of which the low 12 bits are used
   * @param randomLow of which the low 62 bits are used
   */
  public static UUID of(long atMs, long randomHigh, long randomLow) {
    if (atMs < 0 || atMs >= 1L << 48) {
      throw new IllegalArgumentException(
          "a UUIDv7 holds 0 to 2^48 - 1 milliseconds, found " + atMs);
    }
    return new UUID(
        (atMs << 16) | (VERSION << 12) | (randomHigh & 0xFFF),
        (1L << 63) | (randomLow & 0x3FFFFFFFFFFFFFFFL));
  }

  public static boolean isUuid7(UUID id) {
    return id.version() == VERSION && id.variant() == IETF_VARIANT;
  }

  /**
   * The time in a UUIDv7, to the millisecond.
   *
   * @throws IllegalArgumentException if it is of another version
   */
  public static Instant timeOf(UUID id) {
    if (!isUuid7(id)) {
      throw new IllegalArgumentException("not a UUIDv7: " + id);
    }
    return Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16);
  }
}
