package io.millrace.example.order;

import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.launcher.Millrace;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;

/** The smallest application with Millrace in its own Vertx: what the README shows. */
final class Embedding {
  private Embedding() {}

  static Future<Millrace> start(Vertx vertx, Map<String, Object> settings) {
    MillraceConfig config = MillraceConfig.from(settings);
    return Millrace.in(vertx, config).withCommand(new PlaceOrder()).start();
  }

  static Future<List<Appended>> cancel(Millrace millrace, String orderId) {
    String lockAndChange =
        "update shop.orders set status = 'cancelled', revision = revision + 1"
            + " where order_id = $1 returning revision";
    return millrace
        .pool()
        .withTransaction(
            connection ->
                connection
                    .preparedQuery(lockAndChange)
                    .execute(Tuple.of(orderId))
                    .map(rows -> rows.iterator().next().getLong("revision"))
                    .map(revision -> cancelled(orderId, revision))
                    .compose(message -> millrace.outbox().append(connection, message)))
        .onSuccess(millrace.outbox()::nudge);
  }

  static Future<Millrace> consume(Vertx vertx, Map<String, Object> settings) {
    InboxConsumer billing = InboxConsumer.of("billing", List.of("orders"), Embedding::bill);
    MillraceConfig config = MillraceConfig.from(settings);
    return Millrace.in(vertx, config).withConsumer(billing.ordered()).start();
  }

  static Future<Void> bill(InboxMessage message, InboxContext context) {
    if (!message.eventType().equals("order_placed")) {
      return Future.succeededFuture();
    }
    long amount = new JsonObject(message.payloadText()).getLong("amount_cents");
    return context
        .connection()
        .preparedQuery("update billing.account set balance_cents = balance_cents + $1")
        .execute(Tuple.of(amount))
        .mapEmpty();
  }

  private static NewMessage cancelled(String orderId, long revision) {
    return NewMessage.of("orders", "order", orderId, "order_cancelled", Payload.of("{}"))
        .withRevision(revision);
  }
}
