package io.millrace.example.order;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;

/**
 * The shop's money, read in one snapshot: three ways to the same sum.
 *
 * @param balanceCents of all accounts
 * @param paidCents amounts of the orders that are paid
 * @param paymentCents amounts of the payments
 * @param paidOrders how many orders are paid
 * @param payments how many payments there are
 * @param openOrders orders that are not shipped yet
 * @param changes of all orders: the sum of their revisions
 */
record ShopBooks(
    long balanceCents,
    long paidCents,
    long paymentCents,
    long paidOrders,
    long payments,
    long openOrders,
    long changes) {
  private static final String READ =
      """
      select a.balance_cents, o.paid_cents, p.payment_cents, o.paid_orders, p.payments, o.open_orders, o.changes
      from (select coalesce(sum(balance_cents), 0)::bigint as balance_cents from shop.accounts) a,
           (select coalesce(sum(amount_cents) filter (where status in ('paid', 'shipped')), 0)::bigint as paid_cents,
                   count(*) filter (where status in ('paid', 'shipped')) as paid_orders,
                   count(*) filter (where status in ('placed', 'paid')) as open_orders,
                   coalesce(sum(revision), 0)::bigint as changes
            from shop.orders) o,
           (select coalesce(sum(amount_cents), 0)::bigint as payment_cents, count(*) as payments
            from shop.payments) p
      """;

  private static final double CENTS = 100.0;

  static Future<ShopBooks> read(Pool pool) {
    return pool.query(READ).execute().map(rows -> of(rows.iterator().next()));
  }

  private static ShopBooks of(Row row) {
    return new ShopBooks(
        row.getLong("balance_cents"),
        row.getLong("paid_cents"),
        row.getLong("payment_cents"),
        row.getLong("paid_orders"),
        row.getLong("payments"),
        row.getLong("open_orders"),
        row.getLong("changes"));
  }

  /** Whether every paid order was paid once, to the cent. */
  boolean isEven() {
    return balanceCents == paidCents && balanceCents == paymentCents && paidOrders == payments;
  }

  /** For people. */
  String text() {
    return isEven()
        ? "balance %,.2f OK".formatted(balanceCents / CENTS)
        : "balance %,.2f OFF: orders paid %,.2f (%,d), payments %,.2f (%,d)"
            .formatted(
                balanceCents / CENTS,
                paidCents / CENTS,
                paidOrders,
                paymentCents / CENTS,
                payments);
  }
}
