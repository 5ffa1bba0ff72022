package io.millrace.launcher;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.resources.Resource;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The server's tracer: OpenTelemetry's SDK, set up by the standard variables of its environment.
 * Metrics and logs go out by other ways and are not exported unless those variables ask for it.
 */
final class ServerTracing implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerTracing.class);

  /** How long a stop waits for spans to leave. */
  private static final long FLUSH_SECONDS_MAX = 5;

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.service.name", "millrace",
          "otel.metrics.exporter", "none",
          "otel.logs.exporter", "none",
          "otel.exporter.otlp.protocol", "http/protobuf");

  private final OpenTelemetrySdk sdk;

  private ServerTracing(OpenTelemetrySdk sdk) {
    this.sdk = sdk;
  }

  /**
   * Sets it up; nothing is connected to yet.
   *
   * @throws StartRefused when a variable is wrong, or asks for what is not on the class path
   */
  static ServerTracing open(String nodeId) {
    // An exporter tells java.util.logging that its collector is away.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    try {
      return new ServerTracing(
          AutoConfiguredOpenTelemetrySdk.builder()
              .addPropertiesSupplier(() -> DEFAULTS)
              .addResourceCustomizer((resource, properties) -> named(resource, nodeId))
              .disableShutdownHook()
              .build()
              .getOpenTelemetrySdk());
    } catch (ConfigurationException | IllegalStateException | IllegalArgumentException e) {
      throw new StartRefused(
          List.of(
              "tracing.enabled is true, and what the OTEL_ variables ask for cannot be done: "
                  + e.getMessage()));
    }
  }

  /** An operator's own word about the instance counts. */
  private static Resource named(Resource resource, String nodeId) {
    return Resource.builder().put("service.instance.id", nodeId).build().merge(resource);
  }

  VertxTracerFactory factory() {
    return new OpenTelemetryTracingFactory(sdk);
  }

  /** Exports what is left; waits for it, bounded. */
  @Override
  public void close() {
    if (!sdk.shutdown().join(FLUSH_SECONDS_MAX, TimeUnit.SECONDS).isSuccess()) {
      LOG.warn("the last spans could not be exported within {} s", FLUSH_SECONDS_MAX);
    }
  }
}
