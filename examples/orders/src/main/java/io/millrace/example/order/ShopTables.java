package io.millrace.example.order;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;

/** The application's own tables. */
final class ShopTables {
  private ShopTables() {}

  static Future<Void> create(Pool pool) {
    return pool.query("create schema if not exists shop")
        .execute()
        .compose(
            done ->
                pool.query(
                        "create table if not exists shop.orders (order_id text primary key, "
                            + "amount_cents bigint not null, status text not null default 'placed', "
                            + "revision bigint not null default 1)")
                    .execute())
        .mapEmpty();
  }
}
