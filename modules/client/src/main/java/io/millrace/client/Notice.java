package io.millrace.client;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Messages that something has happened to: published on a topic, or applied by a consumer, as the
 * address says. On the bus {@code {"messages": [{"message_id": "...", "aggregate_type": "...",
 * "aggregate_id": "..."}]}}.
 *
 * @param messages 1 to {@value #MESSAGES_MAX}
 */
public record Notice(List<Message> messages) {
  /** Of a larger batch there are several notices. */
  public static final int MESSAGES_MAX = 500;

  private static final String MESSAGES = "messages";
  private static final String MESSAGE_ID = "message_id";
  private static final String AGGREGATE_TYPE = "aggregate_type";
  private static final String AGGREGATE_ID = "aggregate_id";

  /**
   * One of them.
   *
   * @param aggregateType empty where a foreign message has none
   * @param aggregateId as well
   */
  public record Message(UUID messageId, String aggregateType, String aggregateId) {}

  public Notice {
    messages = List.copyOf(messages);
  }

  /** As many notices as it takes. */
  public static List<Notice> of(List<Message> messages) {
    List<Notice> notices = new ArrayList<>();
    for (int from = 0; from < messages.size(); from += MESSAGES_MAX) {
      int to = Math.min(messages.size(), from + MESSAGES_MAX);
      notices.add(new Notice(messages.subList(from, to)));
    }
    return notices;
  }

  /** The form on the bus. */
  public JsonObject toJson() {
    JsonArray array = new JsonArray();
    for (Message message : messages) {
      array.add(
          new JsonObject()
              .put(MESSAGE_ID, message.messageId().toString())
              .put(AGGREGATE_TYPE, message.aggregateType())
              .put(AGGREGATE_ID, message.aggregateId()));
    }
    return new JsonObject().put(MESSAGES, array);
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws RuntimeException if a field is missing or of another type
   */
  public static Notice from(JsonObject json) {
    List<Message> messages = new ArrayList<>();
    for (Object element : json.getJsonArray(MESSAGES)) {
      JsonObject message = (JsonObject) element;
      messages.add(
          new Message(
              UUID.fromString(message.getString(MESSAGE_ID)),
              message.getString(AGGREGATE_TYPE),
              message.getString(AGGREGATE_ID)));
    }
    return new Notice(messages);
  }
}
