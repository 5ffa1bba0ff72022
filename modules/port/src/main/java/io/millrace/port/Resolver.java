package io.millrace.port;

import io.millrace.core.message.OutboxMessage;
import io.vertx.core.Future;
import java.util.List;

/** Fills late-bound payloads from the current state, one set-based query a batch. */
public interface Resolver {
  /** The name that messages give in their {@code resolver} column. */
  String name();

  /**
   * Reads the current state of many aggregates at once.
   *
   * @param messages of one batch, all naming this resolver
   * @return the same messages in the same order, each with {@link OutboxMessage#resolved}; a state
   *     that is gone by now is published as such, never skipped
   */
  Future<List<OutboxMessage>> resolve(List<OutboxMessage> messages);
}
