package io.millrace.client;

import io.vertx.core.Future;

/**
 * A change that callers ask for by name over the event bus. It runs at most once for each command
 * id: a repetition gets the first answer.
 *
 * <p>{@link #run} is called on the writer's event loop, with a transaction open, possibly for
 * several callers at the same time. It must not block, and must not commit or roll back.
 */
public interface Command {

  /** What callers call it by; unique within a writer. */
  String name();

  /**
   * Makes the change and appends its messages, both over {@code context}. The returned future
   * completes when all of that is done: what comes later finds the transaction ended.
   *
   * <p>Success commits. {@link CommandRefused} undoes the change and records the refusal as the
   * answer. Any other failure undoes everything and records nothing, so that the command may be
   * repeated with the same id; a thrown exception and a null are such failures as well.
   *
   * @return what to tell the caller
   */
  Future<CommandResult> run(CommandContext context);
}
