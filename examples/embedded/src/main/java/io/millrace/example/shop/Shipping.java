package io.millrace.example.shop;

import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/**
 * Ships each order that was placed. The statement would ship twice if a message came twice: that it
 * does not is Millrace's part.
 */
final class Shipping {
  static final String CONSUMER = "shop-shipping";

  private static final String SHIP = Sql.read("ship.sql");

  private Shipping() {}

  static Future<Void> handle(InboxMessage message, InboxContext context) {
    UUID order = UUID.fromString(message.aggregateId().orElseThrow());
    return context.connection().preparedQuery(SHIP).execute(Tuple.of(order)).mapEmpty();
  }
}
