package io.millrace.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Tables of a shop, owned by a login that may append, and written by another that has no grant of
 * Millrace at all.
 */
final class Shop {
  /** Owns schema shop; a member of millrace_writer. */
  static final String OWNER = "shopkeeper";

  /** May write what it is granted, and knows nothing of Millrace. */
  static final String IMPORTER = "importer";

  static final String CAPTURE_ORDERS = "select millrace.capture('shop.orders', 'orders', 'order')";

  private final PgFixture pg;

  Shop(PgFixture pg) {
    this.pg = pg;
  }

  /** Makes the schema. */
  void open() {
    pg.execute(
        "create schema shop authorization " + OWNER, "grant usage on schema shop to " + IMPORTER);
  }

  /** With columns id, status, amount and version. */
  void createOrders() throws SQLException {
    create("orders", "id integer primary key, status text, amount numeric, version bigint");
  }

  /** Parts of orders: columns id, order_id and item. */
  void createLines() throws SQLException {
    create(
        "lines",
        "id integer primary key, order_id integer not null references shop.orders on delete"
            + " cascade on update cascade, item text");
  }

  void create(String table, String columns) throws SQLException {
    owner("create table shop.%s (%s)".formatted(table, columns));
    grant(table);
  }

  void grant(String table) throws SQLException {
    owner(
        "grant select, insert, update, delete, truncate on shop.%s to %s"
            .formatted(table, IMPORTER));
  }

  void owner(String... statements) throws SQLException {
    as(OWNER, statements);
  }

  void importer(String... statements) throws SQLException {
    as(IMPORTER, statements);
  }

  private void as(String role, String... statements) throws SQLException {
    try (Connection connection = pg.connect(role)) {
      for (String sql : statements) {
        PgFixture.execute(connection, sql);
      }
    }
  }

  /** Event type and aggregate id of each message, in the order of their ids. */
  List<String> events() {
    return pg.column("select event_type || ' ' || aggregate_id from millrace.outbox order by id");
  }

  /** Payloads in the order of their ids. */
  List<String> payloads() {
    return pg.column("select convert_from(payload, 'UTF8') from millrace.outbox order by id");
  }
}
