package io.millrace.example.order;

import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.message.NewMessage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/**
 * One step in an order's life, for many orders at once: a new status, the next revision, and the
 * event that tells it. Does not look at the status before, so a message that was applied twice
 * would be seen.
 *
 * @param status what the orders become
 * @param event what is announced
 */
record OrderStep(String status, String event) {

  /** An order after the step. */
  record Order(String orderId, long revision, int account, long amountCents) {}

  /** The orders of which these messages say that something has happened. */
  static List<String> ordersOf(List<InboxMessage> messages, String event) {
    return messages.stream()
        .filter(message -> message.eventType().equals(event))
        .flatMap(message -> message.aggregateId().stream())
        .toList();
  }

  /**
   * Locks and changes the orders. Those that the shop does not know are left out: a person may have
   * appended a message by hand.
   */
  Future<List<Order>> change(List<String> orderIds, SqlConnection connection) {
    return connection
        .preparedQuery(
            "update shop.orders set status = $1, revision = revision + 1 where order_id = any($2) "
                + "returning order_id, revision, account, amount_cents")
        .execute(Tuple.of(status).addArrayOfString(orderIds.toArray(String[]::new)))
        .map(
            rows -> {
              List<Order> changed = new ArrayList<>();
              rows.forEach(row -> changed.add(order(row)));
              return changed;
            });
  }

  private static Order order(Row row) {
    return new Order(
        row.getString("order_id"),
        row.getLong("revision"),
        row.getInteger("account"),
        row.getLong("amount_cents"));
  }

  /** Announces the changes, in the transaction that has made them. */
  Future<Void> announce(List<Order> changed, InboxContext context) {
    return context
        .append(
            changed.stream()
                .map(o -> OrderEvent.of(o.orderId(), event, o.revision(), o.amountCents()))
                .toArray(NewMessage[]::new))
        .mapEmpty();
  }
}
