package io.millrace.client;

import io.millrace.core.message.HeaderText;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Messages as the values of an append statement, in its order: an array a column for several, a
 * value a column for one.
 */
final class AppendValues {
  private AppendValues() {}

  static Tuple of(NewMessage message) {
    return Tuple.tuple()
        .addString(message.topic())
        .addString(message.aggregateType())
        .addString(message.aggregateId())
        .addString(message.eventType())
        .addBuffer(payload(message))
        .addUUID(message.messageId())
        .addLong(message.revision())
        .addString(message.messageKey())
        .addString(message.schemaVersion())
        .addString(message.contentType())
        .addString(HeaderText.of(message.headers()))
        .addString(message.resolver());
  }

  static Tuple of(List<NewMessage> messages) {
    return Tuple.tuple()
        .addArrayOfString(texts(messages, NewMessage::topic))
        .addArrayOfString(texts(messages, NewMessage::aggregateType))
        .addArrayOfString(texts(messages, NewMessage::aggregateId))
        .addArrayOfString(texts(messages, NewMessage::eventType))
        .addArrayOfBuffer(payloads(messages))
        .addArrayOfUUID(messages.stream().map(NewMessage::messageId).toArray(UUID[]::new))
        .addArrayOfLong(messages.stream().map(NewMessage::revision).toArray(Long[]::new))
        .addArrayOfString(texts(messages, NewMessage::messageKey))
        .addArrayOfString(texts(messages, NewMessage::schemaVersion))
        .addArrayOfString(texts(messages, NewMessage::contentType))
        .addArrayOfString(texts(messages, message -> HeaderText.of(message.headers())))
        .addArrayOfString(texts(messages, NewMessage::resolver));
  }

  private static String[] texts(
      List<NewMessage> messages, Function<NewMessage, @Nullable String> column) {
    return messages.stream().map(column).toArray(String[]::new);
  }

  private static Buffer[] payloads(List<NewMessage> messages) {
    return messages.stream().map(AppendValues::payload).toArray(Buffer[]::new);
  }

  private static @Nullable Buffer payload(NewMessage message) {
    Payload payload = message.payload();
    return payload == null ? null : Buffer.buffer(payload.bytes());
  }
}
