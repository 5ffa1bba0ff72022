package io.millrace.example.order;

import io.millrace.client.InboxBatchHandler;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * Pays each order that was placed: the money, the order's status and the event that announces it in
 * one transaction, once for each message.
 */
final class Payments implements InboxBatchHandler {
  private static final OrderStep PAY = new OrderStep("paid", OrderEvent.PAID);

  /** In the order of the accounts, so that two batches wait for each other and do not deadlock. */
  private static final String BALANCES =
      """
      insert into shop.accounts as a (account, balance_cents)
      select p.account, sum(p.amount_cents)::bigint
      from unnest($1::integer[], $2::bigint[]) p(account, amount_cents)
      group by p.account order by p.account
      on conflict (account) do update set balance_cents = a.balance_cents + excluded.balance_cents
      """;

  private static final String PAYMENTS =
      """
      insert into shop.payments (order_id, amount_cents)
      select * from unnest($1::text[], $2::bigint[])
      """;

  static InboxConsumer consumer() {
    return InboxConsumer.ofBatches("payments", List.of(OrderEvent.TOPIC), new Payments());
  }

  @Override
  public Future<Void> handle(List<InboxMessage> messages, InboxContext context) {
    List<String> placed = OrderStep.ordersOf(messages, OrderEvent.PLACED);
    if (placed.isEmpty()) {
      return Future.succeededFuture();
    }
    return PAY.change(placed, context.connection())
        .compose(paid -> book(paid, context.connection()).map(paid))
        .compose(paid -> PAY.announce(paid, context));
  }

  private static Future<Void> book(List<OrderStep.Order> paid, SqlConnection connection) {
    String[] orders = paid.stream().map(OrderStep.Order::orderId).toArray(String[]::new);
    Integer[] accounts = paid.stream().map(OrderStep.Order::account).toArray(Integer[]::new);
    Long[] cents = paid.stream().map(OrderStep.Order::amountCents).toArray(Long[]::new);
    Tuple payments = Tuple.tuple().addArrayOfString(orders).addArrayOfLong(cents);
    Tuple balances = Tuple.tuple().addArrayOfInteger(accounts).addArrayOfLong(cents);
    return connection
        .preparedQuery(PAYMENTS)
        .execute(payments)
        .compose(done -> connection.preparedQuery(BALANCES).execute(balances))
        .mapEmpty();
  }
}
