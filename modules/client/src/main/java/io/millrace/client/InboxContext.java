package io.millrace.client;

import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.function.Function;

/** What a handler works with. Valid until its future has completed. */
public interface InboxContext {
  /** Characters of a step's name. */
  int STEP_CHARACTERS_MAX = 100;

  /**
   * A connection in the transaction that also records the messages as applied. It is lent: it
   * executes nothing any more once the run has ended, and it refuses {@code begin}, {@code prepare}
   * and {@code close}.
   */
  SqlConnection connection();

  /**
   * Appends messages to the outbox of the same database, in the same transaction; the relays are
   * nudged after the commit.
   */
  Future<List<Appended>> append(NewMessage... messages);

  /**
   * Makes a call to the outside (a payment provider, an e-mail) that a redelivery must not make
   * twice. Before the call it is recorded that it was begun, after it how it ended, both at once
   * and independently of the handler's transaction. Once an outcome is recorded, {@code call} is
   * not made any more for this message and step.
   *
   * <p>A crash between the call and its record leaves the outcome unknown. The next attempt then
   * makes the call again with the same {@link IdempotencyKey}, and {@link
   * IdempotencyKey#isRepeated} true: the other side has to recognise the key, or be asked.
   *
   * @param step which of the message's calls; 1 to {@value #STEP_CHARACTERS_MAX} characters
   * @param call makes the call; its failure is the handler's, and leaves the outcome unknown
   * @return the outcome: what the call returned when it was first recorded
   */
  Future<Buffer> once(
      InboxMessage message, String step, Function<IdempotencyKey, Future<Buffer>> call);
}
