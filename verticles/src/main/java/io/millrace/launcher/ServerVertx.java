package io.millrace.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.cluster.Cluster;
import io.millrace.core.config.ClusterConfig;
import io.millrace.core.config.MillraceConfig;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The server's own Vertx.
 *
 * @param cluster what it is part of; null: it is alone by configuration
 */
record ServerVertx(Vertx vertx, @Nullable Cluster cluster) {

  private static final String LOGGING = "hazelcast.logging.type";

  /**
   * Waits until it is there.
   *
   * @throws StartRefused if what the section {@code cluster} names cannot be bound
   */
  static ServerVertx open(
      MeterRegistry registry, Optional<VertxTracerFactory> tracer, ClusterConfig config)
      throws InterruptedException {
    VertxOptions options =
        new VertxOptions().setMetricsOptions(new MicrometerMetricsOptions().setEnabled(true));
    VertxBuilder builder = Vertx.builder().withMetrics(new MicrometerMetricsFactory(registry));
    tracer.ifPresent(builder::withTracer);
    if (!config.enabled()) {
      return new ServerVertx(builder.with(options).build(), null);
    }
    if (System.getProperty(LOGGING) == null) {
      // What Hazelcast tells before it has read its configuration goes to the log as well.
      System.setProperty(LOGGING, "slf4j");
    }
    try {
      Cluster joined =
          Cluster.join(builder, options, config).toCompletionStage().toCompletableFuture().get();
      return new ServerVertx(joined.vertx(), joined);
    } catch (ExecutionException e) {
      throw new StartRefused(
          List.of(
              "the cluster cannot be joined with cluster.host \"%s\", cluster.port %d and cluster.event_bus_port %d: %s"
                  .formatted(
                      config.host(), config.port(), config.eventBusPort(), reason(e.getCause()))));
    }
  }

  private static String reason(@Nullable Throwable cause) {
    return cause == null || cause.getMessage() == null ? String.valueOf(cause) : cause.getMessage();
  }

  Millrace.Builder millrace(MillraceConfig config) {
    Millrace.Builder builder = Millrace.in(vertx, config);
    return cluster == null ? builder : builder.withCluster(cluster);
  }
}
