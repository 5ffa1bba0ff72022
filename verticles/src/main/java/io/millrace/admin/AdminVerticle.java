package io.millrace.admin;

import io.millrace.core.config.AdminConfig;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the admin API of this node on a loopback address: {@code /partitions}, {@code /shards},
 * {@code /inbox}, {@code /replays}, {@code /health/live}, {@code /health/ready} and {@code
 * /metrics}, all of them reads.
 *
 * <p>Runs on its own event loop context. {@code start} completes when the address is listened on,
 * and fails when it is in use; the database need not be there. {@code stop} lets answers under way
 * go out for a while, then closes.
 */
public final class AdminVerticle extends VerticleBase {
  private static final int IDLE_SECONDS_MAX = 60;
  private static final long STOP_MS_MAX = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(AdminVerticle.class);

  private final AdminConfig config;
  private final AdminSources sources;
  private final String nodeId;
  private final long retentionMs;
  private @Nullable HttpServer server;

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
    // HTTP/1.1 alone: nothing here gains from an upgrade, and its limits are the ones set here.
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(config.host())
            .setPort(config.port())
            .setHttp2ClearTextEnabled(false)
            .setIdleTimeout(IDLE_SECONDS_MAX)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    AdminApi api = new AdminApi(vertx, sources, nodeId, retentionMs);
    return vertx
        .createHttpServer(options)
        .requestHandler(api.handler(vertx))
        .listen()
        .onSuccess(this::listening);
  }

  private void listening(HttpServer listening) {
    server = listening;
    LOG.info("admin API on http://{}:{}", config.host(), listening.actualPort());
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
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(STOP_MS_MAX, TimeUnit.MILLISECONDS);
  }
}
