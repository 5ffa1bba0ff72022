package io.millrace.launcher;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.config.Pooler;
import io.millrace.postgres.PgDatabase;
import io.millrace.postgres.PgSession;
import io.vertx.core.Future;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether what was said of a connection pooler is so. One that nobody told of hands statements to
 * sessions that do not know them, and drops the limits that sessions are opened with, in silence.
 */
final class PoolerCheck {
  private static final Logger LOG = LoggerFactory.getLogger(PoolerCheck.class);

  private PoolerCheck() {}

  /** Fails with {@link StartRefused} when there is a pooler that the configuration denies. */
  static Future<Void> node(PgDatabase database, DatabaseConfig config) {
    return PgSession.read(database)
        .recover(
            cause ->
                config.pooler() == Pooler.NONE && PgSession.isRefusedGreeting(cause)
                    ? Future.failedFuture(
                        refused(
                            at(config)
                                + " refuses settings that PostgreSQL knows, as a connection pooler does ("
                                + cause.getMessage()
                                + "): set database.pooler to transaction"))
                    : Future.failedFuture(cause))
        .compose(session -> judge(session, config));
  }

  private static Future<Void> judge(PgSession session, DatabaseConfig config) {
    if (config.pooler() == Pooler.NONE) {
      return session.isPooled()
          ? Future.failedFuture(
              refused(
                  "database.pooler is none, and what answers at "
                      + at(config)
                      + " is a connection pooler: set database.pooler to transaction"))
          : Future.succeededFuture();
    }
    long ownMs = session.statementTimeoutMs();
    if (ownMs == 0 || ownMs > config.statementTimeoutMs()) {
      LOG.warn(
          "behind a pooler database.statement_timeout_ms = {} is kept for Millrace's own statements; what an application"
              + " runs on Millrace's connections is limited by the role's own statement_timeout, which is {} ms (0: none):"
              + " alter role \"{}\" set statement_timeout = {}",
          config.statementTimeoutMs(),
          ownMs,
          config.user(),
          config.statementTimeoutMs());
    }
    return Future.succeededFuture();
  }

  /**
   * Where a command connects that needs a session of its own.
   *
   * @throws IllegalStateException when there is a pooler, and nothing said of how to get past it
   */
  static DatabaseConfig direct(MillraceConfig config, String command) {
    DatabaseConfig database = config.database();
    if (database.pooler() != Pooler.NONE && !database.hasDirect()) {
      throw new IllegalStateException(
          command
              + " needs a session of the server's own, database.pooler is transaction, and neither database.direct_host"
              + " nor database.direct_port is set");
    }
    return database.direct();
  }

  /** Fails with {@link IllegalStateException} when what a command connected to is a pooler. */
  static Future<Void> command(PgDatabase database, DatabaseConfig direct) {
    return PgSession.read(database)
        .recover(
            cause ->
                PgSession.isRefusedGreeting(cause)
                    ? Future.succeededFuture(new PgSession(true, 0))
                    : Future.failedFuture(cause))
        .compose(
            session ->
                session.isPooled()
                    ? Future.failedFuture(new IllegalStateException(pooled(direct)))
                    : Future.succeededFuture());
  }

  private static String pooled(DatabaseConfig direct) {
    return "what answers at "
        + at(direct)
        + " is a connection pooler: name the server itself with database.direct_host and database.direct_port";
  }

  private static StartRefused refused(String reason) {
    return new StartRefused(List.of(reason));
  }

  private static String at(DatabaseConfig config) {
    return config.host() + ":" + config.port();
  }
}
