package io.millrace.example.order;

import io.millrace.client.Command;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandResult;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

/**
 * Marks an order as paid. The update locks the order's row before the append draws the message's
 * id.
 */
final class PayOrder implements Command {
  static final String NAME = "pay_order";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Future<CommandResult> run(CommandContext context) {
    String orderId = context.arguments().getString("order_id");
    return context
        .connection()
        .preparedQuery(
            "update shop.orders set status = 'paid', revision = revision + 1 "
                + "where order_id = $1 and status = 'placed' returning revision, amount_cents")
        .execute(Tuple.of(orderId))
        .compose(rows -> announce(context, orderId, rows));
  }

  private static Future<CommandResult> announce(
      CommandContext context, String orderId, RowSet<Row> rows) {
    if (rows.size() == 0) {
      return Future.failedFuture(
          new CommandRefused("not_placed", "order " + orderId + " is not waiting for payment"));
    }
    Row order = rows.iterator().next();
    return context
        .append(
            OrderEvent.of(
                orderId, "order_paid", order.getLong("revision"), order.getLong("amount_cents")))
        .map(appended -> CommandResult.empty());
  }
}
