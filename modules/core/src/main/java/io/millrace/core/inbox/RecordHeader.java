package io.millrace.core.inbox;

import io.millrace.core.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One header of a received record, as it came: names may repeat, values may be null, empty or
 * binary.
 */
public record RecordHeader(String name, @Nullable Payload value) {

  /** The value as text; empty if it is null or no UTF-8. */
  public Optional<String> text() {
    Payload given = value;
    if (given == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(given.bytes())).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }
}
