package io.millrace.launcher;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.postgres.PgDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;

/**
 * What an operator's command needs for its short life: a Vertx, and two connections on which a
 * statement may run for up to {@value #STATEMENT_MS_MAX} ms.
 */
final class OperatorSession {
  private static final int CONNECTIONS = 2;

  /** A person waits for it: longer than a node would. */
  private static final long CONNECT_MS_MAX = 30_000;

  private static final long STATEMENT_MS_MAX = 600_000;

  private OperatorSession() {}

  /**
   * Blocks until the work is done.
   *
   * @param command for whom, in messages
   * @throws Exception what the work failed with
   */
  static <T> T run(
      MillraceConfig config, String command, BiFunction<Vertx, PgDatabase, Future<T>> work)
      throws Exception {
    DatabaseConfig direct =
        PoolerCheck.direct(config, command)
            .withPoolSizeMax(CONNECTIONS)
            .withLimits(CONNECT_MS_MAX, STATEMENT_MS_MAX);
    Vertx vertx = Vertx.vertx();
    PgDatabase database = PgDatabase.open(vertx, direct, "millrace-operator");
    Future<T> result =
        PoolerCheck.command(database, direct)
            .compose(passed -> work.apply(vertx, database))
            .eventually(database::close)
            .eventually(vertx::close);
    try {
      return result.toCompletionStage().toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
