package io.millrace.client;

import io.millrace.core.message.Appended;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What a caller gets for a command that was not refused. The change is committed.
 *
 * @param messages the messages that it appended, in order
 * @param revisions the revisions that it was handed out, in order
 * @param body what the command returned
 * @param repeated whether this is the answer of an earlier call, and this call changed nothing
 */
public record CommandReply(
    List<Appended> messages, List<Long> revisions, JsonObject body, boolean repeated) {

  public CommandReply {
    messages = List.copyOf(messages);
    revisions = List.copyOf(revisions);
  }

  /**
   * An answer as it travels: its recorded form with {@code "refused"} and {@code "repeated"} beside
   * it.
   */
  public static JsonObject toJson(CommandAnswer answer, boolean repeated) {
    return answer
        .toJson()
        .put("refused", answer instanceof CommandAnswer.Refusal)
        .put("repeated", repeated);
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws CommandRefused if it was refused
   */
  static CommandReply from(JsonObject json) {
    if (json.getBoolean("refused")) {
      CommandAnswer.Refusal refusal = CommandAnswer.Refusal.from(json);
      throw new CommandRefused(refusal.code(), refusal.message());
    }
    CommandAnswer.Done done = CommandAnswer.Done.from(json);
    return new CommandReply(
        done.messages(), done.revisions(), done.body(), json.getBoolean("repeated"));
  }
}
