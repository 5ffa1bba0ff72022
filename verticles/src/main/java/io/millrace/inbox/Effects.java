package io.millrace.inbox;

import io.millrace.client.IdempotencyKey;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.function.Function;

/**
 * Calls to the outside of one consumer: begun, made, ended, each recorded in a transaction of its
 * own. The handler's transaction holds the message's id meanwhile, so nobody else makes the same
 * call at the same time, unless a handler that was given up is still at it.
 */
final class Effects {
  private final String consumer;
  private final Pool pool;

  Effects(String consumer, Pool pool) {
    this.consumer = consumer;
    this.pool = pool;
  }

  /** As {@link InboxContext#once}. */
  Future<Buffer> once(
      InboxMessage message, String step, Function<IdempotencyKey, Future<Buffer>> call) {
    if (step.isEmpty() || step.length() > InboxContext.STEP_CHARACTERS_MAX) {
      return Future.failedFuture(
          new IllegalArgumentException(
              "step must have 1 to "
                  + InboxContext.STEP_CHARACTERS_MAX
                  + " characters, found "
                  + step.length()));
    }
    return pool.preparedQuery(Statement.EFFECT_BEGIN.text())
        .execute(names(message, step))
        .map(rows -> rows.iterator().next())
        .compose(begun -> go(message, step, call, begun));
  }

  private Future<Buffer> go(
      InboxMessage message, String step, Function<IdempotencyKey, Future<Buffer>> call, Row begun) {
    String state = begun.getString("state");
    if (state.equals("finished")) {
      return Future.succeededFuture(begun.getBuffer("outcome"));
    }
    IdempotencyKey key =
        new IdempotencyKey(
            consumer + ":" + message.messageId() + ":" + step, state.equals("repeated"));
    Future<Buffer> called = call.apply(key);
    if (called == null) {
      return Future.failedFuture(new IllegalStateException("the call of " + key + " was null"));
    }
    return called.compose(outcome -> finish(message, step, outcome));
  }

  private Future<Buffer> finish(InboxMessage message, String step, Buffer outcome) {
    return pool.preparedQuery(Statement.EFFECT_FINISH.text())
        .execute(names(message, step).addBuffer(outcome))
        .map(rows -> rows.iterator().next().getBuffer("outcome"));
  }

  private Tuple names(InboxMessage message, String step) {
    return Tuple.of(consumer, message.messageId(), message.identity().timeMs(), step);
  }
}
