package io.millrace.client;

import io.millrace.core.message.Appended;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;

/**
 * What a command was answered: recorded in its transaction, and sent to every caller of its id. The
 * form on the bus and in the database is one, JSON.
 */
public sealed interface CommandAnswer {

  /** The recorded form. */
  JsonObject toJson();

  /**
   * The change was made.
   *
   * @param messages in the order in which they were appended
   * @param revisions in the order in which they were handed out
   * @param body what the command returned
   */
  record Done(List<Appended> messages, List<Long> revisions, JsonObject body)
      implements CommandAnswer {

    public Done {
      messages = List.copyOf(messages);
      revisions = List.copyOf(revisions);
    }

    /** Reads what {@link #toJson} wrote. */
    public static Done from(JsonObject json) {
      List<Appended> messages =
          json.getJsonArray("messages").stream()
              .map(JsonObject.class::cast)
              .map(Done::message)
              .toList();
      List<Long> revisions =
          json.getJsonArray("revisions").stream()
              .map(revision -> ((Number) revision).longValue())
              .toList();
      return new Done(messages, revisions, json.getJsonObject("body"));
    }

    @Override
    public JsonObject toJson() {
      JsonArray array = new JsonArray();
      for (Appended message : messages) {
        array.add(
            new JsonObject()
                .put("id", message.id())
                .put("message_id", message.messageId().toString())
                .put("shard", message.shard()));
      }
      return new JsonObject()
          .put("messages", array)
          .put("revisions", new JsonArray(revisions))
          .put("body", body);
    }

    private static Appended message(JsonObject json) {
      return new Appended(
          json.getLong("id"),
          UUID.fromString(json.getString("message_id")),
          json.getInteger("shard"));
    }
  }

  /**
   * The command said no.
   *
   * @param code for programs
   * @param message for people
   */
  record Refusal(String code, String message) implements CommandAnswer {

    /** Reads what {@link #toJson} wrote. */
    public static Refusal from(JsonObject json) {
      return new Refusal(json.getString("code"), json.getString("message"));
    }

    @Override
    public JsonObject toJson() {
      return new JsonObject().put("code", code).put("message", message);
    }
  }

  /** Reads a recorded answer. */
  static CommandAnswer from(boolean refused, JsonObject json) {
    return refused ? Refusal.from(json) : Done.from(json);
  }
}
