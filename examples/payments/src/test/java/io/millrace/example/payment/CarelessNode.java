package io.millrace.example.payment;

import io.millrace.client.InboxBatchHandler;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * As {@link PaymentsNode}, but books on a connection of its own, outside the transaction that
 * records what was applied: what happens between the two commits is repeated.
 */
public final class CarelessNode {
  /** Between the two commits, so that a crash finds the gap. */
  private static final long GAP_MS = 300;

  private CarelessNode() {}

  public static void main(String[] args) throws Exception {
    ConsumerNode.run(
        Path.of(args[0]),
        (vertx, config) ->
            InboxConsumer.ofBatches(
                    PaymentsNode.CONSUMER,
                    List.of(PaymentsNode.TOPIC),
                    new CarelessBooking(vertx, pool(vertx, config)))
                .withStripes(Integer.parseInt(args[1])));
  }

  private static Pool pool(Vertx vertx, MillraceConfig config) {
    DatabaseConfig database = config.database();
    return PgBuilder.pool()
        .connectingTo(
            new PgConnectOptions()
                .setHost(database.host())
                .setPort(database.port())
                .setDatabase(database.name())
                .setUser(database.user()))
        .using(vertx)
        .build();
  }

  private record CarelessBooking(Vertx vertx, Pool own) implements InboxBatchHandler {
    @Override
    public Future<Void> handle(List<InboxMessage> messages, InboxContext context) {
      List<Payment> payments = messages.stream().map(Payment::of).toList();
      return own.withTransaction(connection -> AccountBooking.book(payments, connection))
          .compose(booked -> vertx.timer(GAP_MS, TimeUnit.MILLISECONDS))
          .mapEmpty();
    }
  }
}
