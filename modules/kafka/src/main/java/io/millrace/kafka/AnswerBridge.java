package io.millrace.kafka;

import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Records of one batch that are handed over together. Their answers come on foreign threads; the
 * last of them crosses to the context, once for all.
 */
final class AnswerBridge {
  private final Context context;
  private final Consumer<AnswerBridge> whenAnswered;
  private final List<Delivery> deliveries = new ArrayList<>();
  private final AtomicInteger unanswered = new AtomicInteger();

  AnswerBridge(Context context, Consumer<AnswerBridge> whenAnswered) {
    this.context = context;
    this.whenAnswered = whenAnswered;
  }

  /** On the context, before anything is handed over. */
  void add(Delivery delivery) {
    deliveries.add(delivery);
    unanswered.incrementAndGet();
    delivery.boards(this);
  }

  /** From any thread; publishes what was written to the delivery before. */
  void oneAnswered() {
    if (unanswered.decrementAndGet() == 0) {
      context.runOnContext(crossed -> whenAnswered.accept(this));
    }
  }

  /** On the context: the last one added has not been handed over and goes another time. */
  void removeLast() {
    deliveries.remove(deliveries.size() - 1);
    oneAnswered();
  }

  List<Delivery> deliveries() {
    return deliveries;
  }
}
