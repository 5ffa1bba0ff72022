package io.millrace.devstack;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether tests meet their databases through a pooler, by the system property {@value #PROPERTY}:
 * true or false, false without it.
 */
public final class PoolerChoice {
  /** The system property that decides. */
  public static final String PROPERTY = "millrace.pooler";

  /** Tests hold transactions open beside each other, and a server has 200 sessions for all. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "default_pool_size", "20",
          "max_client_conn", "2000",
          "server_idle_timeout", "5",
          "server_login_retry", "1");

  private static final Map<Integer, PgBouncerServer> STARTED = new ConcurrentHashMap<>();

  private PoolerChoice() {}

  /**
   * The one before this server, started at the first call; it ends with this JVM.
   *
   * @throws DevStackException when the property is neither true nor false
   */
  public static Optional<PgBouncerServer> before(PostgresServer server) {
    return isAsked()
        ? Optional.of(
            STARTED.computeIfAbsent(server.port(), port -> PgBouncerServer.start(server, SETTINGS)))
        : Optional.empty();
  }

  private static boolean isAsked() {
    String value = System.getProperty(PROPERTY, "false");
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new DevStackException(PROPERTY + " must be true or false, found '" + value + "'");
    };
  }
}
