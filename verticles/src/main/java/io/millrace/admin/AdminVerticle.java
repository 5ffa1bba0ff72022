package io.millrace.admin;

import io.millrace.core.config.AdminConfig;
import io.millrace.core.config.ConfigException;
import io.millrace.core.config.Problem;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the admin API of this node; {@code docs/admin-api.md} describes it.
 *
 * <p>Runs on its own event loop context. {@code start} completes when the address is listened on,
 * and fails when it is in use, when a key or certificate cannot be read, or when what is configured
 * would let strangers in; the database need not be there. {@code stop} lets answers under way go
 * out for a while, then closes.
 */
public final class AdminVerticle extends VerticleBase {
  private static final int IDLE_SECONDS_MAX = 60;
  private static final int CONNECTIONS_MAX = 500;
  private static final int LINE_BYTES_MAX = 8_192;
  private static final int HEADER_BYTES_MAX = 16_384;
  private static final long STOP_MS_MAX = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(AdminVerticle.class);

  private final AdminConfig config;
  private final AdminSources sources;
  private final String nodeId;
  private final long retentionMs;
  private @Nullable HttpServer server;
  private @Nullable AdminApi api;
  private int connections;

  /**
   * Listens when it is deployed.
   *
   * @param nodeId this node's name, as the database has it
   * @param retentionMs how long maintenance keeps published messages, in milliseconds
   */
  public AdminVerticle(AdminConfig config, AdminSources sources, String nodeId, long retentionMs) {
    this.config = config;
    this.sources = sources;
    this.nodeId = nodeId;
    this.retentionMs = retentionMs;
  }

  @Override
  public Future<?> start() {
    List<Problem> problems = config.contradictions();
    if (!problems.isEmpty()) {
      return Future.failedFuture(new ConfigException(problems));
    }
    return Logins.open(vertx, config).compose(this::listen);
  }

  private Future<?> listen(Logins logins) {
    Gate gate = new Gate(config, logins, System::nanoTime);
    AdminApi opened = new AdminApi(vertx, sources, nodeId, retentionMs, gate);
    return vertx
        .createHttpServer(options())
        .connectionHandler(this::connected)
        .requestHandler(opened.handler(vertx, config.servesTls() || config.tlsTerminatedByProxy()))
        .listen()
        .onSuccess(listening -> listening(listening, opened));
  }

  private HttpServerOptions options() {
    // HTTP/1.1 alone: nothing here gains from an upgrade, and its limits are the ones set here.
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(config.host())
            .setPort(config.port())
            .setHttp2ClearTextEnabled(false)
            // Scrapes and probes are nobody's trace; a caller's goes on.
            .setTracingPolicy(TracingPolicy.PROPAGATE)
            .setMaxInitialLineLength(LINE_BYTES_MAX)
            .setMaxHeaderSize(HEADER_BYTES_MAX)
            .setIdleTimeout(IDLE_SECONDS_MAX)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    return config.servesTls()
        ? options
            .setSsl(true)
            .setUseAlpn(false)
            .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .setCertPath(config.tlsCertificateFile())
                    .setKeyPath(config.tlsKeyFile()))
        : options;
  }

  /** What waits for nothing holds a connection for a minute; many of them must not hold all. */
  private void connected(HttpConnection connection) {
    connections++;
    connection.closeHandler(closed -> connections--);
    if (connections > CONNECTIONS_MAX) {
      connection.close();
    }
  }

  private void listening(HttpServer listening, AdminApi opened) {
    server = listening;
    api = opened;
    opened.open();
    String scheme = config.servesTls() ? "https" : "http";
    LOG.info("admin API on {}://{}:{}", scheme, config.host(), listening.actualPort());
  }

  /**
   * The TCP port that is listened on.
   *
   * @throws IllegalStateException before {@code start} has completed
   */
  public int actualPort() {
    if (server == null) {
      throw new IllegalStateException("the admin API is not listening");
    }
    return server.actualPort();
  }

  @Override
  public Future<?> stop() {
    if (api != null) {
      api.close();
    }
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(STOP_MS_MAX, TimeUnit.MILLISECONDS);
  }
}
