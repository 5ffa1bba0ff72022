package io.millrace.example.order;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;

/** The application's own tables. */
final class ShopTables {
  /** No unique key on payments on purpose: an order that was paid twice would be seen there. */
  private static final String TABLES =
      """
      create schema if not exists shop;
      create table if not exists shop.orders (
        order_id     text primary key,
        account      integer not null,
        amount_cents bigint  not null,
        status       text    not null default 'placed',
        revision     bigint  not null default 1
      );
      create table if not exists shop.accounts (
        account       integer primary key,
        balance_cents bigint not null
      );
      create table if not exists shop.payments (
        order_id     text   not null,
        amount_cents bigint not null
      );
      """;

  private ShopTables() {}

  static Future<Void> create(Pool pool) {
    return pool.query(TABLES).execute().mapEmpty();
  }
}
