package io.millrace.postgres;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.Pooler;
import io.millrace.core.config.SslMode;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Map;

/**
 * How connections are made.
 *
 * <p>Behind a pooler in transaction mode a session is somebody else's after each transaction. So
 * nothing is set at the start that it does not itself keep apart by client, which is what PgBouncer
 * refuses otherwise; and every statement is parsed where it is executed, in the same session.
 */
final class ConnectOptions {
  /**
   * Distinct statements that one connection keeps prepared; this module has fewer, applications add
   * theirs.
   */
  private static final int PREPARED_STATEMENTS_MAX = 256;

  private ConnectOptions() {}

  static PgConnectOptions of(DatabaseConfig config, String applicationName) {
    PgConnectOptions connect = new PgConnectOptions();
    connect
        .setHost(config.host())
        .setPort(config.port())
        .setDatabase(config.name())
        .setUser(config.user())
        .setPassword(config.password().reveal());
    connect.setSslMode(io.vertx.pgclient.SslMode.valueOf(config.sslMode().name()));
    connect.setSslOptions(
        new ClientSSLOptions()
            .setTrustAll(!verifies(config))
            .setHostnameVerificationAlgorithm(verifiesName(config) ? "HTTPS" : ""));
    return config.pooler() == Pooler.NONE
        ? ofSession(connect, config, applicationName)
        : ofPooler(connect, applicationName);
  }

  private static PgConnectOptions ofSession(
      PgConnectOptions connect, DatabaseConfig config, String applicationName) {
    connect
        .setCachePreparedStatements(true)
        .setPreparedStatementCacheMaxSize(PREPARED_STATEMENTS_MAX)
        // The default leaves out long texts: a pass would be parsed and planned anew every time.
        .setPreparedStatementCacheSqlFilter(sql -> true);
    connect.addProperty("application_name", applicationName);
    connect.addProperty("statement_timeout", Long.toString(config.statementTimeoutMs()));
    return connect;
  }

  private static PgConnectOptions ofPooler(PgConnectOptions connect, String applicationName) {
    connect.setUseLayer7Proxy(true).setCachePreparedStatements(false);
    connect.setProperties(
        Map.of("application_name", applicationName, "client_encoding", "utf8", "DateStyle", "ISO"));
    return connect;
  }

  private static boolean verifies(DatabaseConfig config) {
    return switch (config.sslMode()) {
      case VERIFY_CA, VERIFY_FULL -> true;
      case DISABLE, PREFER, REQUIRE -> false;
    };
  }

  private static boolean verifiesName(DatabaseConfig config) {
    return config.sslMode() == SslMode.VERIFY_FULL;
  }
}
