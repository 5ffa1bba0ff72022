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

/** Messages as the values of the append statement: an array a column, in the statement's order. */
final class AppendValues {
  private AppendValues() {}

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
