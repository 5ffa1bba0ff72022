package io.millrace.admin;

import io.millrace.port.ParkedContent;
import io.millrace.port.ParkedMessage;
import io.millrace.port.ParkedPage;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The pages about parked messages. Payloads are bytes, and shown as such. */
final class ParkedJson {
  private ParkedJson() {}

  static JsonObject page(ParkedPage page) {
    JsonArray messages = new JsonArray();
    page.messages().forEach(message -> messages.add(message(message)));
    return new JsonObject()
        .put("messages", messages)
        .put("next", Cursor.of(ParkedResource.CURSOR, page.next()));
  }

  private static JsonObject message(ParkedMessage message) {
    ParkedMessage.Subject subject = message.subject();
    ParkedMessage.Block block = message.block();
    return new JsonObject()
        .put("id", message.id())
        .put("message_id", message.messageId().toString())
        .put("shard", message.shard())
        .put("topic", subject.topic())
        .put("aggregate_type", subject.aggregateType())
        .put("aggregate_id", subject.aggregateId())
        .put("revision", subject.revision())
        .put("event_type", subject.eventType())
        .put("state", block.state())
        .put("kind", block.kind())
        .put("reason", block.reason())
        .put("attempts", block.attempts())
        .put("wanted", block.wanted())
        .put("overtaken", block.overtaken())
        .put("payload_bytes", message.payloadBytes())
        .put("created_at", message.createdAt().toString())
        .put("parked_at", message.parkedAt().toString());
  }

  static JsonObject content(ParkedContent content) {
    JsonArray headers = new JsonArray();
    // Pairs, since a name may be there twice.
    for (int i = 0; i + 1 < content.headers().size(); i += 2) {
      headers.add(
          new JsonObject()
              .put("name", content.headers().get(i))
              .put("value", content.headers().get(i + 1)));
    }
    return message(content.message())
        .put("message_key", content.messageKey())
        .put("schema_version", content.schemaVersion())
        .put("content_type", content.contentType())
        .put("headers", headers)
        .put("resolver", content.resolver())
        .put("payload_base64", base64(content.payload()));
  }

  private static @Nullable String base64(@Nullable Buffer payload) {
    return payload == null ? null : Base64.getEncoder().encodeToString(payload.getBytes());
  }
}
