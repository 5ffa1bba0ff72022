package io.millrace.example.shop;

import io.millrace.client.CommandContext;
import io.millrace.client.CommandRefused;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Places an order: its row and the message that announces it, in one transaction. */
final class PlaceOrder {
  static final String TOPIC = "shop-orders";

  private static final String INSERT = Sql.read("place_order.sql");

  private PlaceOrder() {}

  /** Refused where the customer's credit does not suffice; then nothing is left behind. */
  static Future<UUID> run(Order order, CommandContext context) {
    // The command's id names the order: a repetition could not place a second one even without
    // the recorded answer.
    UUID id = context.commandId();
    return context
        .connection()
        .preparedQuery(INSERT)
        .execute(Tuple.of(id, order.customer(), order.cents()))
        .compose(
            placed ->
                placed.rowCount() == 0
                    ? Future.failedFuture(
                        new CommandRefused(
                            "credit", order.customer() + " has no credit for " + order.cents()))
                    : context.append(announcement(id, order)))
        .map(id);
  }

  private static NewMessage announcement(UUID id, Order order) {
    return NewMessage.of(
            TOPIC, "order", id.toString(), "order_placed", Payload.of(order.toJson().encode()))
        .withRevision(1);
  }
}
