package io.millrace.client;

import io.vertx.core.Future;

/**
 * Applies one message's effect in the consumer's own transaction. It is called once for each
 * message whose effect commits; what it did before a failure is undone.
 *
 * <p>Called on the consumer's event loop, with a transaction open that may hold other messages too.
 * It must not block, and must not commit or roll back.
 */
@FunctionalInterface
public interface InboxHandler {

  /**
   * Makes the change over {@code context}. The returned future completes when all of it is done:
   * what comes later finds the transaction ended.
   *
   * <p>Failed with {@link MessageRefused}, the message is parked at once. Failed with {@link
   * RetryLater}, or because the database, the network or a lock is busy or away, it is tried again
   * for as long as it takes. Any other failure, a thrown exception and a null count as attempts,
   * after {@code inbox.attempts_max} of which the message is parked; so does a future that does not
   * complete within {@code inbox.handler_timeout_ms}.
   */
  Future<Void> handle(InboxMessage message, InboxContext context);
}
