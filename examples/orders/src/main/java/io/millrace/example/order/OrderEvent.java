package io.millrace.example.order;

import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.vertx.core.json.JsonObject;

/** The messages that announce what happens to an order. */
final class OrderEvent {
  static final String TOPIC = "orders";
  static final String AGGREGATE = "order";
  static final String PLACED = "order_placed";
  static final String PAID = "order_paid";
  static final String SHIPPED = "order_shipped";

  private OrderEvent() {}

  /**
   * The message of one change.
   *
   * @param revision the order's version after the change: 1 placed, 2 paid, 3 shipped
   */
  static NewMessage of(String orderId, String event, long revision, long amountCents) {
    JsonObject body = new JsonObject().put("order", orderId).put("amount_cents", amountCents);
    return NewMessage.of(TOPIC, AGGREGATE, orderId, event, Payload.of(body.encode()))
        .withRevision(revision)
        .withSchemaVersion("1");
  }
}
