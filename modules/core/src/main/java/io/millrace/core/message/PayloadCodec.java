package io.millrace.core.message;

/**
 * How values of one type become the bytes of payloads and come back. Millrace itself never reads a
 * payload: a codec is the application's choice, on both sides. May be used by any thread.
 *
 * @param <T> what a payload says, for example an order that was placed
 */
public interface PayloadCodec<T> {

  /** The media type of what it writes, for the header {@code content-type}: 1 to 200 characters. */
  String contentType();

  /**
   * Whether it reads payloads of that media type; parameters behind a semicolon do not count.
   *
   * @param contentType the header {@code content-type} of a message
   */
  default boolean reads(String contentType) {
    return ContentType.essence(contentType).equals(ContentType.essence(contentType()));
  }

  /**
   * The bytes of a value.
   *
   * @throws InvalidMessageException if the value has no such form, telling what is in its way
   */
  Payload write(T value);

  /**
   * The value again.
   *
   * @throws UnreadablePayloadException if the bytes are no such value
   */
  T read(Payload payload);
}
