package io.millrace.port;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parked message with what it says.
 *
 * @param headers name, value, name, value, ...
 * @param payload the beginning of its payload, as many bytes as were asked for; null: a tombstone
 */
public record ParkedContent(
    ParkedMessage message,
    @Nullable String messageKey,
    @Nullable String schemaVersion,
    String contentType,
    List<String> headers,
    @Nullable String resolver,
    @Nullable Buffer payload) {
  public ParkedContent {
    headers = List.copyOf(headers);
  }
}
