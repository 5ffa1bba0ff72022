package io.millrace.port;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.message.OutboxMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What comes next of a shard's part of a replay.
 *
 * @param task the replay as it is now; null: it has ended
 * @param messages as they were published first, in id order
 */
public record ReplayPage(
    Incarnation incarnation, @Nullable Task task, List<OutboxMessage> messages) {
  public ReplayPage {
    messages = List.copyOf(messages);
  }

  /**
   * A replay that runs.
   *
   * @param targetTopic where to; null: each message's own topic
   * @param ratePerSecond as in {@link ReplayTask}
   * @param doneUpTo ids up to here are done when the page's messages are
   * @param isLast nothing comes behind the page
   */
  public record Task(
      @Nullable String targetTopic, double ratePerSecond, long doneUpTo, boolean isLast) {}
}
