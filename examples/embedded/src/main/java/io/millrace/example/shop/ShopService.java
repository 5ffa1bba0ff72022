package io.millrace.example.shop;

import io.millrace.client.InboxConsumer;
import io.millrace.client.RetryPolicy;
import io.millrace.cluster.Cluster;
import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.Millrace;
import io.millrace.launcher.config.ConfigLoader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The application: {@code ShopService CONFIG PORT}. Runs until it is told to stop (SIGTERM), and
 * then in order: takes no more requests, lets Millrace settle what is in flight, closes the Vertx.
 */
public final class ShopService {
  static final String RUNS = "shop runs";

  private ShopService() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    int port = Integer.parseInt(arguments[1]);
    MillraceConfig config = ConfigLoader.load(Optional.of(file), System.getenv());
    Cluster cluster = config.cluster().enabled() ? join(config) : null;
    Vertx vertx = cluster == null ? Vertx.vertx() : cluster.vertx();
    Millrace.Builder builder =
        Millrace.in(vertx, config)
            .withCommand(Order.PLACE.handledBy(PlaceOrder::run))
            .withConsumer(
                InboxConsumer.of(Shipping.CONSUMER, List.of(PlaceOrder.TOPIC), Shipping::handle));
    if (cluster != null) {
      builder.withCluster(cluster);
    }
    long limitMs = config.shutdown().drainTimeoutMs();
    Millrace millrace = await(builder.start(), limitMs);
    OrderApi api =
        new OrderApi(
            millrace.commands().withRetries(RetryPolicy.standard()), millrace.pool(), port);
    String deployed = await(vertx.deployVerticle(api), limitMs);
    // The process ends when the hook returns, so the hook waits.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> stop(vertx.undeploy(deployed).eventually(millrace::stop), vertx, limitMs),
                "shop-stop"));
    System.out.println(RUNS);
  }

  private static Cluster join(MillraceConfig config) throws Exception {
    return Cluster.join(Vertx.builder(), new VertxOptions(), config.cluster())
        .toCompletionStage()
        .toCompletableFuture()
        .get();
  }

  private static void stop(Future<Void> stopped, Vertx vertx, long limitMs) {
    try {
      await(stopped, limitMs);
      await(vertx.close(), limitMs);
      System.out.println("shop has stopped");
    } catch (Exception e) {
      System.out.println("not stopped in order within " + limitMs + " ms: " + e);
    }
  }

  private static <T> T await(Future<T> future, long limitMs) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(limitMs, TimeUnit.MILLISECONDS);
  }
}
