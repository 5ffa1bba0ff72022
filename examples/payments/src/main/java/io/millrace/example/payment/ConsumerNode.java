package io.millrace.example.payment;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.client.InboxConsumer;
import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.Millrace;
import io.millrace.launcher.config.ConfigLoader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

/**
 * A process with one consumer, until it is told to stop (SIGTERM). Says {@value #RUNS} when it
 * works, and what it has counted.
 */
public final class ConsumerNode {
  /** The line by which others know that it works. */
  public static final String RUNS = "consumer runs";

  private static final long COUNTS_INTERVAL_MS = 100;

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Vertx vertx = Vertx.vertx();
  private NodeCounts told = NodeCounts.NONE;

  private ConsumerNode() {}

  /**
   * Runs it; does not return.
   *
   * @param file the configuration
   * @param consumer makes the consumer
   */
  static void run(Path file, BiFunction<Vertx, MillraceConfig, InboxConsumer> consumer)
      throws Exception {
    MillraceConfig config = ConfigLoader.load(Optional.of(file), System.getenv());
    ConsumerNode node = new ConsumerNode();
    node.start(config, consumer.apply(node.vertx, config));
    new CompletableFuture<Void>().get();
  }

  private void start(MillraceConfig config, InboxConsumer consumer) throws Exception {
    Millrace millrace =
        await(
            Millrace.in(vertx, config).withConsumer(consumer).withMetrics(registry).start(),
            config.shutdown().drainTimeoutMs());
    // The process ends when the hook returns, so the hook waits until everything is settled.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> stop(millrace, config.shutdown().drainTimeoutMs()), "node-stop"));
    System.out.println(RUNS);
    countsLoop();
  }

  private void countsLoop() {
    printCounts();
    vertx.setTimer(COUNTS_INTERVAL_MS, fired -> countsLoop());
  }

  private synchronized void printCounts() {
    NodeCounts now = new NodeCounts(count("applied"), count("duplicate"));
    if (!now.equals(told)) {
      told = now;
      System.out.println(now);
    }
  }

  private long count(String outcome) {
    return (long)
        registry.find("millrace.inbox.messages").tag("outcome", outcome).counters().stream()
            .mapToDouble(counter -> counter.count())
            .sum();
  }

  private void stop(Millrace millrace, long limitMs) {
    try {
      await(millrace.stop(), limitMs);
      printCounts();
    } catch (Exception e) {
      System.out.println("not stopped in order within " + limitMs + " ms: " + e);
    }
  }

  private static <T> T await(Future<T> future, long limitMs)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.toCompletionStage().toCompletableFuture().get(limitMs, TimeUnit.MILLISECONDS);
  }
}
