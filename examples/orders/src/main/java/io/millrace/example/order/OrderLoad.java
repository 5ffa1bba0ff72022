package io.millrace.example.order;

import io.millrace.client.Appended;
import io.millrace.client.CommandClient;
import io.millrace.client.CommandReply;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Customers: every order is placed and paid by commands over the event bus and shipped in a
 * transaction of the application's own. Runs on the context that started it.
 */
final class OrderLoad {
  /** Tells the load's orders from those that a person appends by hand. */
  static final String ID_PREFIX = "load-";

  private static final int TICK_MS = 20;
  private static final int MS_PER_SECOND = 1_000;
  private static final int EVENTS_PER_ORDER = 3;
  private static final long AMOUNT_CENTS_MAX = 100_000;

  /**
   * Orders under way at most: a database that is slow makes the load slower, not the memory fuller.
   */
  private static final int UNDER_WAY_MAX = 500;

  private final Vertx vertx;
  private final CommandClient commands;
  private final Shipping shipping;
  private final OrderChecker checker;
  private final int eventsPerSecond;
  private final Promise<Void> idle = Promise.promise();

  private double owed;
  private int underWay;
  private long failures;
  private boolean isStopped;

  OrderLoad(
      Vertx vertx,
      CommandClient commands,
      Shipping shipping,
      OrderChecker checker,
      int eventsPerSecond) {
    this.vertx = vertx;
    this.commands = commands;
    this.shipping = shipping;
    this.checker = checker;
    this.eventsPerSecond = eventsPerSecond;
  }

  void start() {
    vertx.setTimer(TICK_MS, tick -> tick());
  }

  /** How many changes failed; their outcome is told by what arrives. */
  long failures() {
    return failures;
  }

  private void tick() {
    if (isStopped) {
      return;
    }
    owed += (double) eventsPerSecond * TICK_MS / MS_PER_SECOND / EVENTS_PER_ORDER;
    while (owed >= 1 && underWay < UNDER_WAY_MAX) {
      owed -= 1;
      beginOrder();
    }
    owed = Math.min(owed, UNDER_WAY_MAX);
    vertx.setTimer(TICK_MS, tick -> tick());
  }

  private void beginOrder() {
    underWay++;
    String orderId = ID_PREFIX + UUID.randomUUID();
    long amountCents = ThreadLocalRandom.current().nextLong(1, AMOUNT_CENTS_MAX);
    JsonObject arguments =
        new JsonObject().put("order_id", orderId).put("amount_cents", amountCents);
    send(PlaceOrder.NAME, arguments)
        .compose(placed -> send(PayOrder.NAME, new JsonObject().put("order_id", orderId)))
        .compose(paid -> shipping.ship(orderId))
        .onSuccess(this::written)
        .onFailure(cause -> failures++)
        .onComplete(done -> endOrder());
  }

  private Future<CommandReply> send(String name, JsonObject arguments) {
    return commands
        .send(name, CommandClient.newCommandId(), arguments)
        .onSuccess(reply -> written(reply.messages()));
  }

  private void written(List<Appended> appended) {
    appended.forEach(message -> checker.written(message.messageId()));
  }

  private void endOrder() {
    underWay--;
    if (isStopped && underWay == 0) {
      idle.tryComplete();
    }
  }

  /** Begins no more orders and completes when those under way are done. */
  Future<Void> stop() {
    isStopped = true;
    if (underWay == 0) {
      idle.tryComplete();
    }
    return idle.future();
  }
}
