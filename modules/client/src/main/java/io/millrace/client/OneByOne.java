package io.millrace.client;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hands a batch to a handler of single messages, one after the other: they share a transaction. */
record OneByOne(InboxHandler handler) implements InboxBatchHandler {

  @Override
  public Future<Void> handle(List<InboxMessage> messages, InboxContext context) {
    Promise<Void> all = Promise.promise();
    from(0, messages, context, all);
    return all.future();
  }

  /** A loop where futures are complete already, so that a long batch needs no deep stack. */
  private void from(
      int first, List<InboxMessage> messages, InboxContext context, Promise<Void> all) {
    for (int i = first; i < messages.size(); i++) {
      Future<Void> handled = handler.handle(messages.get(i), context);
      if (handled == null) {
        all.fail(new IllegalStateException("the handler returned null"));
        return;
      }
      if (!handled.succeeded()) {
        int next = i + 1;
        Context home = Vertx.currentContext();
        handled
            .onSuccess(done -> at(home, () -> continued(next, messages, context, all)))
            .onFailure(all::tryFail);
        return;
      }
    }
    all.complete();
  }

  /** The handler's future may complete on any thread; its next call is made where the first was. */
  private static void at(@Nullable Context home, Runnable next) {
    if (home == null || home == Vertx.currentContext()) {
      next.run();
    } else {
      home.runOnContext(arrived -> next.run());
    }
  }

  private void continued(
      int next, List<InboxMessage> messages, InboxContext context, Promise<Void> all) {
    try {
      from(next, messages, context, all);
    } catch (RuntimeException | LinkageError e) {
      all.tryFail(e);
    }
  }
}
