package io.millrace.bench.spi;

import java.nio.charset.StandardCharsets;

/**
 * Payloads that tell what they belong to: {@code aggregate-revision-nanoseconds-filler}, the
 * numbers in hexadecimal. Text, so that peers that carry text can, too.
 */
public final class Payloads {
  /** Aggregates that messages are of, numbered from 0. */
  public static final int AGGREGATES = 10_000;

  public static final int BYTES_MIN = 35;

  /** Repeated. Nobody compresses here. */
  static final String FILLER =
      "Lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam nonumy eirmod tempor ";

  private static final int REVISION_AT = 9;
  private static final int NANOS_AT = 18;
  private static final int NANOS_END = 34;
  private static final byte[] ENDLESS =
      FILLER.repeat(1 + 1_000_000 / FILLER.length()).getBytes(StandardCharsets.UTF_8);

  private Payloads() {}

  public static String aggregateId(int aggregate) {
    return String.format("%08x", aggregate);
  }

  /**
   * Makes a payload.
   *
   * @param nanos of {@link System#nanoTime}, which all processes of a Linux machine share
   * @param bytes {@link #BYTES_MIN} to 1,000,000
   */
  public static byte[] of(int aggregate, int revision, long nanos, int bytes) {
    byte[] payload = new byte[bytes];
    hex(payload, 0, REVISION_AT - 1, aggregate);
    hex(payload, REVISION_AT, NANOS_AT - 1, revision);
    hex(payload, NANOS_AT, NANOS_END, nanos);
    payload[REVISION_AT - 1] = '-';
    payload[NANOS_AT - 1] = '-';
    payload[NANOS_END] = '-';
    System.arraycopy(ENDLESS, 0, payload, BYTES_MIN, bytes - BYTES_MIN);
    return payload;
  }

  public static int aggregate(byte[] payload) {
    return (int) number(payload, 0, REVISION_AT - 1);
  }

  public static int revision(byte[] payload) {
    return (int) number(payload, REVISION_AT, NANOS_AT - 1);
  }

  /** 0: of a backlog. */
  public static long nanos(byte[] payload) {
    return number(payload, NANOS_AT, NANOS_END);
  }

  private static void hex(byte[] payload, int from, int to, long value) {
    long rest = value;
    for (int i = to - 1; i >= from; i--) {
      payload[i] = (byte) Character.forDigit((int) (rest & 15), 16);
      rest >>>= 4;
    }
  }

  private static long number(byte[] payload, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      value = value << 4 | Character.digit(payload[i], 16);
    }
    return value;
  }
}
