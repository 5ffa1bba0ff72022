package io.millrace.example.order;

import io.millrace.client.InboxBatchHandler;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.vertx.core.Future;
import java.util.List;

/** Ships each order that was paid, and announces it in the same transaction. */
final class Shipping implements InboxBatchHandler {
  private static final OrderStep SHIP = new OrderStep("shipped", OrderEvent.SHIPPED);

  static InboxConsumer consumer() {
    return InboxConsumer.ofBatches("shipping", List.of(OrderEvent.TOPIC), new Shipping());
  }

  @Override
  public Future<Void> handle(List<InboxMessage> messages, InboxContext context) {
    List<String> paid = OrderStep.ordersOf(messages, OrderEvent.PAID);
    return paid.isEmpty()
        ? Future.succeededFuture()
        : SHIP.change(paid, context.connection())
            .compose(shipped -> SHIP.announce(shipped, context));
  }
}
