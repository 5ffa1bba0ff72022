package io.millrace.launcher;

import io.millrace.core.config.MillraceConfig;
import io.millrace.core.config.NodeConfig;
import io.millrace.core.lease.NodeCount;
import io.millrace.launcher.config.ConfigLoader;
import io.millrace.port.Installation;
import io.millrace.port.Rebased;
import io.millrace.postgres.PgDatabase;
import io.millrace.postgres.PgOrigin;
import io.millrace.postgres.PgShardStore;
import io.millrace.postgres.PgStatusStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** After a restore into another server: see millrace.rebase for what it does, and why. */
@Command(
    name = "rebase",
    description = {
      "Makes a database that was restored into another server one that can be relayed from: what had not been published"
          + " is appended anew, in its order, and every cursor begins behind it.",
      "Stop every node first. Needs the schema's owner or a member of millrace_operator. One transaction of at most 10"
          + " minutes, during which writers wait; whatever ends it early leaves everything as it was."
    },
    mixinStandardHelpOptions = true)
final class RebaseCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RebaseCommand.class);
  private static final int LOCK_WAIT_MS = 5_000;
  private static final int MISSED_BEATS = 2;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The nodes' configuration; without one, defaults and environment.")
  private @Nullable Path file;

  @Mixin private final Operator operator = new Operator();

  @Override
  public Integer call() throws Exception {
    MillraceConfig config = ConfigLoader.load(Optional.ofNullable(file), System.getenv());
    Rebased done =
        OperatorSession.run(
            config, "rebase", (vertx, database) -> rebase(vertx, database, config.node()));
    System.out.printf(
        "appended anew %,d messages that had not been published, dropped %,d that had been%n"
            + "closed %,d lanes, removed %,d dead nodes; every cursor begins behind message id %d%n"
            + "nodes may start%n",
        done.appended(), done.dropped(), done.lanes(), done.nodes(), done.head());
    LOG.info("rebased by {}: {}", operator.actor(), done);
    return 0;
  }

  private Future<Rebased> rebase(Vertx vertx, PgDatabase database, NodeConfig timing) {
    PgOrigin origin = new PgOrigin(database);
    return new PgStatusStore(database)
        .installation()
        .compose(RebaseCommand::refuseStandby)
        .compose(primary -> registeredNodes(vertx, database, timing))
        .compose(nodes -> origin.rebase(operator.actor(), operator.reason(), nodes, LOCK_WAIT_MS));
  }

  private static Future<Void> refuseStandby(Installation found) {
    return found.isInRecovery()
        ? Future.failedFuture(
            new IllegalStateException("the database server is a standby, connect to the primary"))
        : Future.succeededFuture();
  }

  /** As they are before a silence in which every live one would have beaten. */
  private static Future<List<NodeCount>> registeredNodes(
      Vertx vertx, PgDatabase database, NodeConfig timing) {
    return new PgShardStore(database)
        .view()
        .compose(
            view -> {
              List<NodeCount> nodes = view.nodes();
              if (nodes.isEmpty()) {
                return Future.succeededFuture(nodes);
              }
              long waitMs = timing.leaseDurationMs() + MISSED_BEATS * timing.heartbeatIntervalMs();
              System.out.printf(
                  "%d nodes are registered: watching for %d ms whether one is alive%n",
                  nodes.size(), waitMs);
              return vertx.timer(waitMs, TimeUnit.MILLISECONDS).map(passed -> nodes);
            });
  }
}
