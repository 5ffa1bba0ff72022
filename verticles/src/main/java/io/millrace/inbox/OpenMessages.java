package io.millrace.inbox;

import io.millrace.client.IdempotencyKey;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.client.Outbox;
import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.millrace.transaction.LentConnection;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What a handler sees while it runs, and what is noted for the nudge after the commit. */
final class OpenMessages implements InboxContext {
  private final LentConnection connection;
  private final Outbox outbox;
  private final Effects effects;
  private final List<Appended> appended = new ArrayList<>();
  private volatile boolean ended;

  OpenMessages(SqlConnection connection, Outbox outbox, Effects effects) {
    this.connection = new LentConnection(connection);
    this.outbox = outbox;
    this.effects = effects;
  }

  @Override
  public SqlConnection connection() {
    return connection;
  }

  @Override
  public Future<List<Appended>> append(NewMessage... messages) {
    return ended ? tooLate() : outbox.append(connection, messages).onSuccess(appended::addAll);
  }

  @Override
  public Future<Buffer> once(
      InboxMessage message, String step, Function<IdempotencyKey, Future<Buffer>> call) {
    return ended ? tooLate() : effects.once(message, step, call);
  }

  /** From now on the connection is no longer the handler's. */
  void end() {
    ended = true;
    connection.takeBack();
  }

  /** After the commit. */
  void nudge() {
    outbox.nudge(appended);
  }

  private static <T> Future<T> tooLate() {
    return Future.failedFuture(new IllegalStateException("the run of this handler has ended"));
  }
}
