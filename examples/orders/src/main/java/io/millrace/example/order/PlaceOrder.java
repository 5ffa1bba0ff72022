package io.millrace.example.order;

import io.millrace.client.Command;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandResult;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** Takes an order: the row and its message in one transaction. */
final class PlaceOrder implements Command {
  static final String NAME = "place_order";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Future<CommandResult> run(CommandContext context) {
    String orderId = context.arguments().getString("order_id");
    int account = context.arguments().getInteger("account");
    long amountCents = context.arguments().getLong("amount_cents");
    if (amountCents <= 0) {
      throw new CommandRefused("amount", "amount_cents must be positive, found " + amountCents);
    }
    return context
        .connection()
        .preparedQuery(
            "insert into shop.orders (order_id, account, amount_cents) values ($1, $2, $3)")
        .execute(Tuple.of(orderId, account, amountCents))
        .compose(done -> context.append(OrderEvent.of(orderId, OrderEvent.PLACED, 1, amountCents)))
        .map(appended -> CommandResult.empty());
  }
}
