package io.millrace.core.config;

import java.util.List;
import java.util.Map;

/**
 * Section {@code database}: the PostgreSQL server that holds the outbox, and what stands before it.
 * Each component's unit, limits and harm stand with its key.
 */
public record DatabaseConfig(
    String host,
    int port,
    String name,
    String user,
    Secret password,
    SslMode sslMode,
    int poolSizeMax,
    long poolWaitMsMax,
    long connectTimeoutMs,
    long statementTimeoutMs,
    Pooler pooler,
    String directHost,
    int directPort,
    String directName,
    String directSslMode) {

  /** The primary. A standby cannot be read from: its snapshots list no open transactions. */
  public static final TextKey HOST = new TextKey("database.host", "127.0.0.1", TextRule.HOST);

  /** The server's TCP port; with a wrong one nothing connects. */
  public static final IntKey PORT = new IntKey("database.port", 5432, 1, 65_535, "TCP port");

  /** The database with the schema millrace in it; in another one the schema check fails. */
  public static final TextKey NAME =
      new TextKey("database.name", "millrace", TextRule.DATABASE_NAME);

  /** The role to connect as; without Millrace's grants every statement is refused. */
  public static final TextKey USER =
      new TextKey("database.user", "millrace", TextRule.DATABASE_NAME);

  /** The role's password, empty for none; a wrong one is refused at the first connection. */
  public static final SecretKey PASSWORD = new SecretKey("database.password");

  /**
   * How connections are secured. Below verify-full somebody on the network path can pose as the
   * server and read the password and every message.
   */
  public static final ChoiceKey<SslMode> SSL_MODE =
      new ChoiceKey<>("database.ssl_mode", SslMode.PREFER, List.of(SslMode.values()));

  /**
   * Connections this process holds at most. Too few, and passes and heartbeats wait for each other
   * until leases are lost; too many, summed over all nodes, and the server refuses connections.
   */
  public static final IntKey POOL_SIZE_MAX =
      new IntKey("database.pool_size_max", 8, 2, 100, "connections");

  /**
   * Longest wait for a free connection, after which the attempt fails and is made again later. Too
   * long, and an exhausted pool looks like silence; too short, and a burst looks like an outage.
   */
  public static final LongKey POOL_WAIT_MS_MAX =
      new LongKey("database.pool_wait_ms_max", 5_000L, 100, 60_000, "ms");

  /**
   * Longest wait for a new connection. Too long, and a dead server is noticed late; too short, and
   * a slow handshake never succeeds.
   */
  public static final LongKey CONNECT_TIMEOUT_MS =
      new LongKey("database.connect_timeout_ms", 5_000L, 100, 60_000, "ms");

  /**
   * Longest run of one statement before the server cancels it. Too short, and the long sweep after
   * a long transaction is cancelled again and again; too long, and a stuck one holds a connection.
   */
  public static final LongKey STATEMENT_TIMEOUT_MS =
      new LongKey("database.statement_timeout_ms", 30_000L, 1_000, 600_000, "ms");

  /**
   * What host and port lead to. With none, and a pooler there, statements meet sessions that do not
   * know them, and no statement has a time limit of the server's; with transaction, and none there,
   * every statement is parsed anew for nothing.
   */
  public static final ChoiceKey<Pooler> POOLER =
      new ChoiceKey<>("database.pooler", Pooler.NONE, List.of(Pooler.values()));

  /**
   * Where migrate, rebase and confirm-server connect to, which need a session of their own: the
   * server itself, past a pooler. Empty: where everything else connects to. With a pooler the
   * commands refuse to run unless this or {@link #DIRECT_PORT} is set.
   */
  public static final TextKey DIRECT_HOST =
      new TextKey("database.direct_host", "", TextRule.OPTIONAL_HOST);

  /** The server's own TCP port, for the same; 0: that of the pooler. */
  public static final IntKey DIRECT_PORT =
      new IntKey("database.direct_port", 0, 0, 65_535, "TCP port");

  /** The database's name on the server, for the same, where the pooler calls it otherwise. */
  public static final TextKey DIRECT_NAME =
      new TextKey("database.direct_name", "", TextRule.OPTIONAL_DATABASE_NAME);

  /**
   * How direct connections are secured, where that differs: a pooler may be on this machine and the
   * server far away.
   */
  public static final TextKey DIRECT_SSL_MODE =
      new TextKey("database.direct_ssl_mode", "", TextRule.OPTIONAL_SSL_MODE);

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public DatabaseConfig {
    new Problems()
        .check(HOST, host)
        .check(PORT, port)
        .check(NAME, name)
        .check(USER, user)
        .check(PASSWORD, password)
        .check(SSL_MODE, sslMode)
        .check(POOL_SIZE_MAX, poolSizeMax)
        .check(POOL_WAIT_MS_MAX, poolWaitMsMax)
        .check(CONNECT_TIMEOUT_MS, connectTimeoutMs)
        .check(STATEMENT_TIMEOUT_MS, statementTimeoutMs)
        .check(POOLER, pooler)
        .check(DIRECT_HOST, directHost)
        .check(DIRECT_PORT, directPort)
        .check(DIRECT_NAME, directName)
        .check(DIRECT_SSL_MODE, directSslMode)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static DatabaseConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static DatabaseConfig read(ConfigReader reader) {
    return new DatabaseConfig(
        reader.read(HOST),
        reader.read(PORT),
        reader.read(NAME),
        reader.read(USER),
        reader.read(PASSWORD),
        reader.read(SSL_MODE),
        reader.read(POOL_SIZE_MAX),
        reader.read(POOL_WAIT_MS_MAX),
        reader.read(CONNECT_TIMEOUT_MS),
        reader.read(STATEMENT_TIMEOUT_MS),
        reader.read(POOLER),
        reader.read(DIRECT_HOST),
        reader.read(DIRECT_PORT),
        reader.read(DIRECT_NAME),
        reader.read(DIRECT_SSL_MODE));
  }

  /** The same with a pool of another size. */
  public DatabaseConfig withPoolSizeMax(int connections) {
    return new DatabaseConfig(
        host,
        port,
        name,
        user,
        password,
        sslMode,
        connections,
        poolWaitMsMax,
        connectTimeoutMs,
        statementTimeoutMs,
        pooler,
        directHost,
        directPort,
        directName,
        directSslMode);
  }

  /**
   * The same with other limits, in milliseconds.
   *
   * @param waitMs for a free connection, and for a new one
   * @param statementMs for a statement
   */
  public DatabaseConfig withLimits(long waitMs, long statementMs) {
    return new DatabaseConfig(
        host,
        port,
        name,
        user,
        password,
        sslMode,
        poolSizeMax,
        waitMs,
        waitMs,
        statementMs,
        pooler,
        directHost,
        directPort,
        directName,
        directSslMode);
  }

  /** Whether it is said how to get past a pooler. */
  public boolean hasDirect() {
    return !directHost.isEmpty() || directPort != 0;
  }

  /** Past the pooler, if there is one: what is not said of direct connections is as for all. */
  public DatabaseConfig direct() {
    return new DatabaseConfig(
        directHost.isEmpty() ? host : directHost,
        directPort == 0 ? port : directPort,
        directName.isEmpty() ? name : directName,
        user,
        password,
        SSL_MODE.parse(directSslMode).orElse(sslMode),
        poolSizeMax,
        poolWaitMsMax,
        connectTimeoutMs,
        statementTimeoutMs,
        Pooler.NONE,
        directHost,
        directPort,
        directName,
        directSslMode);
  }

  void printTo(Map<String, String> target) {
    HOST.printTo(target, host);
    PORT.printTo(target, port);
    NAME.printTo(target, name);
    USER.printTo(target, user);
    PASSWORD.printTo(target, password);
    SSL_MODE.printTo(target, sslMode);
    POOL_SIZE_MAX.printTo(target, poolSizeMax);
    POOL_WAIT_MS_MAX.printTo(target, poolWaitMsMax);
    CONNECT_TIMEOUT_MS.printTo(target, connectTimeoutMs);
    STATEMENT_TIMEOUT_MS.printTo(target, statementTimeoutMs);
    POOLER.printTo(target, pooler);
    DIRECT_HOST.printTo(target, directHost);
    DIRECT_PORT.printTo(target, directPort);
    DIRECT_NAME.printTo(target, directName);
    DIRECT_SSL_MODE.printTo(target, directSslMode);
  }
}
