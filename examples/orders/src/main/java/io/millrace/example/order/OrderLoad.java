package io.millrace.example.order;

import io.millrace.client.CommandClient;
import io.millrace.client.CommandReply;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Customers: they place orders by a command over the event bus. What follows is the consumers'
 * work. Runs on the context that started it.
 */
final class OrderLoad {
  /** Tells the load's orders from those that a person appends by hand. */
  static final String ID_PREFIX = "load-";

  private static final int TICK_MS = 20;
  private static final int MS_PER_SECOND = 1_000;
  private static final int EVENTS_PER_ORDER = 3;
  private static final int ACCOUNTS = 300;
  private static final long AMOUNT_CENTS_MAX = 100_000;

  /**
   * Orders that are being placed, and that have not been shipped yet, at most: whoever is slow
   * makes the load slower, not the memory fuller.
   */
  private static final int UNDER_WAY_MAX = 500;

  private static final int OPEN_MAX = 50_000;

  private final Vertx vertx;
  private final CommandClient commands;
  private final OrderChecker checker;
  private final int eventsPerSecond;
  private final Promise<Void> idle = Promise.promise();

  private double owed;
  private int underWay;
  private long failures;
  private boolean isStopped;

  OrderLoad(Vertx vertx, CommandClient commands, OrderChecker checker, int eventsPerSecond) {
    this.vertx = vertx;
    this.commands = commands;
    this.checker = checker;
    this.eventsPerSecond = eventsPerSecond;
  }

  void start() {
    vertx.setTimer(TICK_MS, tick -> tick());
  }

  /** How many commands failed; their outcome is told by what arrives. */
  long failures() {
    return failures;
  }

  private void tick() {
    if (isStopped) {
      return;
    }
    owed += (double) eventsPerSecond * TICK_MS / MS_PER_SECOND / EVENTS_PER_ORDER;
    int openMax = OPEN_MAX - checker.counts().open();
    for (int begun = 0; owed >= 1 && underWay < UNDER_WAY_MAX && begun < openMax; begun++) {
      owed -= 1;
      place();
    }
    owed = Math.min(owed, UNDER_WAY_MAX);
    vertx.setTimer(TICK_MS, tick -> tick());
  }

  private void place() {
    underWay++;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String orderId = ID_PREFIX + UUID.randomUUID();
    JsonObject arguments =
        new JsonObject()
            .put("order_id", orderId)
            .put("account", random.nextInt(ACCOUNTS))
            .put("amount_cents", random.nextLong(1, AMOUNT_CENTS_MAX));
    Future<CommandReply> placed =
        commands.send(PlaceOrder.NAME, CommandClient.newCommandId(), arguments);
    placed
        .onSuccess(reply -> checker.placed(orderId))
        .onFailure(cause -> failures++)
        .onComplete(done -> endOrder());
  }

  private void endOrder() {
    underWay--;
    if (isStopped && underWay == 0) {
      idle.tryComplete();
    }
  }

  /** Places no more orders and completes when those under way are placed. */
  Future<Void> stop() {
    isStopped = true;
    if (underWay == 0) {
      idle.tryComplete();
    }
    return idle.future();
  }
}
