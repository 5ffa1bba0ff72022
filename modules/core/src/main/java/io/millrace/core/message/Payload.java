package io.millrace.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes of a message, exactly as they were appended. Millrace never parses, re-encodes or
 * changes them. The array is shared, not copied: whoever hands one in or takes one out must not
 * write to it.
 */
public final class Payload {
  private final byte[] bytes;

  private Payload(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Payload of(byte[] bytes) {
    return new Payload(bytes);
  }

  /** The UTF-8 bytes of a text. */
  public static Payload of(String text) {
    return new Payload(text.getBytes(StandardCharsets.UTF_8));
  }

  public byte[] bytes() {
    return bytes;
  }

  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** The size only: payloads do not belong into logs. */
  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
