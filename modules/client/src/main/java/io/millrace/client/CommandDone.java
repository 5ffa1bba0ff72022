package io.millrace.client;

import io.millrace.core.message.Appended;
import java.util.List;

/**
 * What a caller gets for a typed command that was not refused. The change is committed.
 *
 * @param answer what the command returned
 * @param messages the messages that it appended, in order
 * @param revisions the revisions that it was handed out, in order
 * @param repeated whether this is the answer of an earlier attempt, and this one changed nothing
 */
public record CommandDone<A>(
    A answer, List<Appended> messages, List<Long> revisions, boolean repeated) {

  public CommandDone {
    messages = List.copyOf(messages);
    revisions = List.copyOf(revisions);
  }
}
