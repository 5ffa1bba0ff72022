package io.millrace.example.order;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.Millrace;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The application: Millrace in a Vertx of its own, a command and two consumers, and the load that
 * calls. Calls block.
 */
final class OrderShop implements AutoCloseable {
  private static final long CALL_WAIT_S = 60;
  private static final long ARRIVAL_WAIT_MS = 30_000;

  private final DevStack stack;
  private final OrderChecker checker;
  private final DevOptions options;
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Millrace millrace;
  private final OrderLoad load;
  private final RingLine ring;
  private final BooksLine books;
  private final ArrivalReader reader;

  private OrderShop(DevStack stack, OrderChecker checker, DevOptions options) {
    this.stack = stack;
    this.checker = checker;
    this.options = options;
    MillraceConfig config = MillraceConfig.from(settings());
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                "postgres",
                stack.postgres().user(),
                "",
                "disable"),
            SchemaMigration.Layout.of(config))
        .migrate();
    millrace =
        await(
            Millrace.in(vertx, config)
                .withCommand(new PlaceOrder())
                .withConsumer(Payments.consumer())
                .withConsumer(Shipping.consumer())
                .withMetrics(registry)
                .start());
    await(ShopTables.create(millrace.pool()));
    load = new OrderLoad(vertx, millrace.commands(), checker, options.rate);
    books = new BooksLine(millrace.pool());
    reader =
        new ArrivalReader(stack.kafka().bootstrapServers(), DevCommand.TOPIC_PARTITIONS, checker);
    ring = new RingLine(vertx, millrace.adminPort().orElseThrow());
    context.runOnContext(started -> load.start());
  }

  /** Lays the schema, starts Millrace and the load. */
  static OrderShop open(DevStack stack, OrderChecker checker, DevOptions options) {
    return new OrderShop(stack, checker, options);
  }

  /** Slots that turn every few seconds, so that a person sees the ring at work. */
  private Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("database.host", stack.postgres().host());
    settings.put("database.port", stack.postgres().port());
    settings.put("database.name", "postgres");
    settings.put("database.user", stack.postgres().user());
    settings.put("database.ssl_mode", "disable");
    settings.put("kafka.bootstrap_servers", stack.kafka().bootstrapServers());
    settings.put("admin.port", options.adminPort);
    settings.put("maintenance.interval_ms", 250);
    settings.put("maintenance.slot_age_max_ms", 5_000);
    settings.put("maintenance.retention_ms", 3_000);
    settings.put("maintenance.receipt_age_max_ms", 30_000);
    return settings;
  }

  void describe(PrintStream out) {
    String admin = "http://127.0.0.1:" + millrace.adminPort().orElseThrow();
    out.printf(
        "  PostgreSQL %d  %s:%d, user %s, database postgres, schema millrace%n",
        options.postgresVersion,
        stack.postgres().host(),
        stack.postgres().port(),
        stack.postgres().user());
    out.printf(
        "  Kafka          %s, topic %s%n", stack.kafka().bootstrapServers(), OrderEvent.TOPIC);
    out.printf("  dashboard      %s/%n", admin);
    out.printf("  admin          %s/partitions  /shards  /inbox  /health/ready  /metrics%n", admin);
    out.printf(
        "  workload       %,d messages a second: orders placed by a command, paid and shipped by consumers%n",
        options.rate);
  }

  /** What a person sees every second. */
  String line(int second) {
    OrderChecker.Counts counts = checker.counts();
    String verdict = checker.problems().isEmpty() ? "in order" : "OUT OF ORDER";
    String failed = load.failures() == 0 ? "" : "  failed " + load.failures();
    return String.format(
        "%4d s  placed %,7d  events arrived %,7d %s  shipped %,7d%s  oldest open %,4d ms  %s  %s",
        second,
        counts.placed(),
        counts.arrived(),
        verdict,
        counts.shipped(),
        failed,
        counts.oldestOpenMs(),
        books.read(),
        ring.read());
  }

  /** Ends the load, waits for what is on its way, and holds the database against what arrived. */
  boolean finish(PrintStream out) throws InterruptedException {
    await(load.stop());
    ShopBooks last = await(ShopBooks.read(millrace.pool()));
    long untilMs = System.nanoTime() / 1_000_000 + ARRIVAL_WAIT_MS;
    while (!isSettled(last) && System.nanoTime() / 1_000_000 < untilMs) {
      TimeUnit.MILLISECONDS.sleep(50);
      last = await(ShopBooks.read(millrace.pool()));
    }
    OrderChecker.Counts counts = checker.counts();
    checker.problems().forEach(out::println);
    boolean isGood =
        isSettled(last)
            && last.isEven()
            && books.isAlwaysEven()
            && checker.isComplete()
            && checker.problems().isEmpty();
    out.printf(
        "%s: %,d orders paid once%s, %,d events committed, %,d arrived, %,d repeats, %s, %s%n",
        isGood ? "OK" : "FAILED",
        last.paidOrders(),
        last.openOrders() == 0 ? " and shipped" : ", " + last.openOrders() + " not shipped",
        last.changes(),
        counts.arrived(),
        counts.repeats(),
        checker.problems().isEmpty() ? "each order's in order" : "not in order",
        last.text());
    return isGood;
  }

  /** Whether every order is shipped, and every event of it has arrived. */
  private boolean isSettled(ShopBooks found) {
    return found.openOrders() == 0 && checker.counts().arrived() >= found.changes();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(CALL_WAIT_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    }
  }

  @Override
  public void close() {
    await(millrace.stop());
    await(vertx.close());
    reader.close();
  }
}
