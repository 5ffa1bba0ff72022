package io.millrace.example.order;

import io.millrace.client.Appended;
import io.millrace.client.Outbox;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/** Ships orders in a transaction of its own, without a command. */
final class Shipping {
  private final Pool pool;
  private final Outbox outbox;

  Shipping(Pool pool, Outbox outbox) {
    this.pool = pool;
    this.outbox = outbox;
  }

  /** Ships one order and returns what was appended; the nudge follows the commit. */
  Future<List<Appended>> ship(String orderId) {
    return pool.withTransaction(connection -> shipIn(connection, orderId)).onSuccess(outbox::nudge);
  }

  private Future<List<Appended>> shipIn(SqlConnection connection, String orderId) {
    return connection
        .preparedQuery(
            "update shop.orders set status = 'shipped', revision = revision + 1 "
                + "where order_id = $1 and status = 'paid' returning revision, amount_cents")
        .execute(Tuple.of(orderId))
        .compose(rows -> announce(connection, orderId, rows));
  }

  private Future<List<Appended>> announce(
      SqlConnection connection, String orderId, RowSet<Row> rows) {
    if (rows.size() == 0) {
      return Future.succeededFuture(List.of());
    }
    Row order = rows.iterator().next();
    return outbox.append(
        connection,
        OrderEvent.of(
            orderId, "order_shipped", order.getLong("revision"), order.getLong("amount_cents")));
  }
}
