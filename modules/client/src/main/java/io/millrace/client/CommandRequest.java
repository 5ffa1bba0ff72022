package io.millrace.client;

import io.millrace.core.message.Uuid7;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A command on its way, on the bus as {@code {"name": "...", "command_id": "...", "arguments":
 * {...}}}.
 *
 * @param name 1 to {@link #NAME_CHARS_MAX} characters
 * @param commandId a UUIDv7
 */
public record CommandRequest(String name, UUID commandId, JsonObject arguments) {
  public static final int NAME_CHARS_MAX = 200;

  private static final String NAME = "name";
  private static final String COMMAND_ID = "command_id";
  private static final String ARGUMENTS = "arguments";

  /**
   * Checks what can be checked without the writer.
   *
   * @throws CommandFailure of kind INVALID, naming the field, the limit and what was found
   */
  public CommandRequest {
    if (name.isEmpty() || name.length() > NAME_CHARS_MAX || name.indexOf(0) >= 0) {
      throw invalid(NAME, "1 to " + NAME_CHARS_MAX + " characters without NUL", name);
    }
    if (!Uuid7.isUuid7(commandId)) {
      throw invalid(COMMAND_ID, "a UUIDv7", commandId);
    }
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws CommandFailure of kind INVALID, naming the field, the limit and what was found
   */
  public static CommandRequest from(@Nullable Object body) {
    if (!(body instanceof JsonObject json)) {
      throw invalid("a command", "a JSON object", body == null ? null : body.getClass().getName());
    }
    if (!(json.getValue(NAME) instanceof String name)) {
      throw invalid(NAME, "a text", json.getValue(NAME));
    }
    if (!(json.getValue(ARGUMENTS) instanceof JsonObject arguments)) {
      throw invalid(ARGUMENTS, "a JSON object", json.getValue(ARGUMENTS));
    }
    return new CommandRequest(name, uuid(json.getValue(COMMAND_ID)), arguments);
  }

  /** The form on the bus. */
  public JsonObject toJson() {
    return new JsonObject()
        .put(NAME, name)
        .put(COMMAND_ID, commandId.toString())
        .put(ARGUMENTS, arguments);
  }

  private static UUID uuid(@Nullable Object value) {
    try {
      return UUID.fromString(String.valueOf(value));
    } catch (IllegalArgumentException e) {
      throw invalid(COMMAND_ID, "a UUIDv7", value);
    }
  }

  private static CommandFailure invalid(String field, String rule, @Nullable Object found) {
    String text = found == null ? "nothing" : "'" + found + "'";
    int end = Math.min(text.length(), NAME_CHARS_MAX);
    return new CommandFailure(
        CommandFailure.Kind.INVALID,
        field + " must be " + rule + ", found " + text.substring(0, end));
  }
}
