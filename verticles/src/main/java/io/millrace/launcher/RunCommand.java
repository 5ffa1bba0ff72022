package io.millrace.launcher;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.config.ConfigLoader;
import io.millrace.launcher.log.LogFormat;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The server: relays, maintenance and admin for applications that append by SQL. */
@Command(
    name = "run",
    description = "Runs relay, maintenance and admin until it is told to stop (SIGTERM or SIGINT).",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:told to stop, and everything in flight was settled",
      "1:refused to start, or not settled within shutdown.drain_timeout_ms",
      "2:wrong arguments",
      "3:ended at once by a second signal"
    },
    mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
  private static final int NOT_DRAINED = 1;
  private static final long TELL_INTERVAL_MS = 2_000;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration; without one, defaults and environment.")
  private @Nullable Path file;

  @Override
  public Integer call() throws Exception {
    MillraceConfig config = named(ConfigLoader.load(Optional.ofNullable(file), System.getenv()));
    LogFormat.tellNode(config.node().id());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Optional<ServerTracing> tracing =
        config.tracing().enabled()
            ? Optional.of(ServerTracing.open(config.node().id()))
            : Optional.empty();
    ServerVertx server =
        ServerVertx.open(registry, tracing.map(ServerTracing::factory), config.cluster());
    Vertx vertx = server.vertx();
    try {
      Millrace millrace =
          server
              .millrace(config)
              .withMetrics(registry)
              .start()
              .toCompletionStage()
              .toCompletableFuture()
              .get();
      LOG.info("Millrace runs{}", adminOf(millrace));
      Runnable last =
          () -> {
            close(vertx);
            tracing.ifPresent(ServerTracing::close);
          };
      waitForSignal(millrace, last, config.shutdown().drainTimeoutMs());
      return 0;
    } catch (java.util.concurrent.ExecutionException e) {
      close(vertx);
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Logs and spans name the node, before anything else knows what it is called. */
  private static MillraceConfig named(MillraceConfig config) {
    return config.node().id().isEmpty() ? config.withNodeId(NodeName.generate()) : config;
  }

  private static String adminOf(Millrace millrace) {
    return millrace.adminPort().isPresent()
        ? ", admin on port " + millrace.adminPort().getAsInt()
        : "";
  }

  /**
   * The hook runs on a thread of its own and must itself wait: when it returns, the process ends.
   * It ends the process itself, because a signal that was obeyed in order is no failure: the JVM
   * would exit with 128 and the signal's number.
   */
  private static void waitForSignal(Millrace millrace, Runnable last, long drainTimeoutMs)
      throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              SecondSignal.watchUntil(ended);
              int code = drain(millrace, drainTimeoutMs);
              last.run();
              ended.countDown();
              Runtime.getRuntime().halt(code);
            },
            "millrace-shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    ended.await();
  }

  /** The exit code: 0 when everything was settled in time. */
  private static int drain(Millrace millrace, long drainTimeoutMs) {
    LOG.info(
        "told to stop: settles what is in flight and gives the shards back, at most {} ms"
            + " (shutdown.drain_timeout_ms); a second signal ends it at once",
        drainTimeoutMs);
    try {
      await(millrace, drainTimeoutMs);
      LOG.info("Millrace has stopped");
      return 0;
    } catch (Exception e) {
      LOG.error(
          "not drained within shutdown.drain_timeout_ms = {}, {} had not ended: what was in flight is published again",
          drainTimeoutMs,
          millrace.stopping());
      return NOT_DRAINED;
    }
  }

  /** Says now and then what it waits for. */
  private static void await(Millrace millrace, long limitMs) throws Exception {
    CompletableFuture<Void> stopped = millrace.stop().toCompletionStage().toCompletableFuture();
    for (long leftMs = limitMs; ; leftMs -= TELL_INTERVAL_MS) {
      try {
        stopped.get(Math.min(leftMs, TELL_INTERVAL_MS), TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        if (leftMs <= TELL_INTERVAL_MS) {
          throw e;
        }
        LOG.info("still waits for the end of: {}", millrace.stopping());
      }
    }
  }

  private static void close(Vertx vertx) {
    try {
      vertx.close().toCompletionStage().toCompletableFuture().get(5, TimeUnit.SECONDS);
    } catch (Exception e) {
      LOG.debug("vertx was not closed in time", e);
    }
  }
}
