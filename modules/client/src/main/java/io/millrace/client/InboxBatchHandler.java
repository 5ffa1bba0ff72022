package io.millrace.client;

import io.vertx.core.Future;
import java.util.List;

/**
 * Applies the effects of many messages in one transaction; for set-based statements. Otherwise as
 * {@link InboxHandler}: if the batch fails for a reason of its own, it is called again with one
 * message at a time, so that the one to blame is found.
 */
@FunctionalInterface
public interface InboxBatchHandler {

  /**
   * Makes the changes over {@code context}.
   *
   * @param messages at least one, each new; by key, then by offset, so that concurrent batches lock
   *     in one order
   */
  Future<Void> handle(List<InboxMessage> messages, InboxContext context);
}
