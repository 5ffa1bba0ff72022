package io.millrace.client;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Hands a batch to a handler of single messages, one after the other: they share a transaction. */
public record OneByOne(InboxHandler handler) implements InboxBatchHandler {

  @Override
  public Future<Void> handle(List<InboxMessage> messages, InboxContext context) {
    Promise<Void> all = Promise.promise();
    from(0, messages, context, all);
    return all.future();
  }

  /** The same with something around each call of the handler. */
  public OneByOne within(Around around) {
    return new OneByOne(
        (message, context) -> around.call(message, () -> handler.handle(message, context)));
  }

  /** What happens before and after a handler works on one message. */
  @FunctionalInterface
  public interface Around {
    /**
     * Makes the call, on the caller's thread; returns its future, or whatever else a handler may
     * give instead of one, and throws what it throws.
     */
    Future<Void> call(InboxMessage message, Supplier<Future<Void>> call);
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
