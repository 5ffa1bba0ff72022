package io.millrace.postgres;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.PoolerChoice;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real server for all classes of a run, and for every test a fresh database with the schema laid,
 * {@value #SHARDS} shards and {@value #SLOTS} slots. {@link #NODE} is a login role with what a node
 * needs and no more; {@link #APPLICATION} one that may only append, {@link #CONSUMER} one that may
 * only apply.
 */
final class PgFixture implements BeforeEachCallback, AfterEachCallback {
  static final int SHARDS = 4;
  static final int SLOTS = 3;
  static final int PAYLOAD_BYTES_MAX = 1_000;
  static final long BUCKET_MS = 86_400_000;
  static final int RETENTION_BUCKETS = 2;
  static final int BUCKETS_AHEAD = 2;
  static final String NODE = "node";
  static final String APPLICATION = "application";
  static final String CONSUMER = "consumer";
  static final String OPERATOR = "postgres";

  private static final String TEMPLATE = "laid";
  private static final long ANSWER_LIMIT_S = 30;
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final List<AutoCloseable> open = new ArrayList<>();
  private final boolean isShared;
  private PostgresServer server;
  private String database;
  private Vertx vertx;

  private PgFixture(boolean isShared) {
    this.isShared = isShared;
  }

  static PgFixture freshForEveryTest() {
    return new PgFixture(false);
  }

  /** For a static field of a class whose tests only read, or do not mind what others wrote. */
  static PgFixture sharedByTheClass() {
    return new PgFixture(true);
  }

  /** The server of this run, its template database laid. Closed with the run. */
  private record Shared(PostgresServer server) implements AutoCloseable {
    static Shared start() {
      // Nobody pulls the plug here, and dropping a database waits for a checkpoint.
      Map<String, String> settings =
          Map.of("fsync", "off", "full_page_writes", "off", "wal_level", "logical");
      PostgresServer server =
          PostgresServer.start(PostgresSpec.fromSystemProperty().withSettings(settings));
      server.createDatabase(TEMPLATE);
      new SchemaMigration(login(server, TEMPLATE), layout(SHARDS, PAYLOAD_BYTES_MAX, SLOTS))
          .migrate();
      execute(
          server,
          TEMPLATE,
          "create role node login in role millrace_relay, millrace_maintenance",
          "create role application login in role millrace_writer",
          "create role consumer login in role millrace_inbox",
          "create role shopkeeper login in role millrace_writer",
          "create role importer login");
      return new Shared(server);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    server =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .getOrComputeIfAbsent(PgFixture.class, key -> Shared.start(), Shared.class)
            .server();
    if (database == null || !isShared) {
      database = "test_" + DATABASES.incrementAndGet();
      execute(server, "postgres", "create database " + database + " template " + TEMPLATE);
    }
    vertx = Vertx.vertx();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    for (AutoCloseable resource : open) {
      resource.close();
    }
    open.clear();
    await(vertx.close());
    if (!isShared) {
      execute(server, "postgres", "drop database " + database + " with (force)");
    }
  }

  PostgresServer server() {
    return server;
  }

  /** A database with nothing in it. */
  String emptyDatabase() {
    String name = "empty_" + DATABASES.incrementAndGet();
    server.createDatabase(name);
    return name;
  }

  static SchemaMigration.Layout layout(int shards, int payloadBytesMax, int slots) {
    return new SchemaMigration.Layout(
        shards, payloadBytesMax, slots, BUCKET_MS, RETENTION_BUCKETS * BUCKET_MS, BUCKETS_AHEAD);
  }

  static SchemaMigration.Login login(PostgresServer server, String database) {
    return new SchemaMigration.Login(
        server.host(), server.port(), database, server.user(), "", "disable");
  }

  /** The operator's, of this test's database. */
  SchemaMigration.Login login() {
    return login(server, database);
  }

  /** A connection to this test's database, closed with it. */
  Connection connect(String user) {
    try {
      Connection connection = connect(server, database, user);
      open.add(connection);
      return connection;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Connection connect(PostgresServer server, String database, String user)
      throws SQLException {
    return DriverManager.getConnection(
        server.jdbcUrl(database) + "?connectTimeout=5&socketTimeout=120", user, "");
  }

  /** A pool of a node on this test's database, closed with it. */
  PgDatabase pool() {
    return poolOf(NODE);
  }

  PgDatabase poolOf(String user) {
    PgDatabase pool = pool(vertx, server, database, user);
    open.add(() -> await(pool.close()));
    return pool;
  }

  static PgDatabase pool(Vertx vertx, PostgresServer server, String database) {
    return pool(vertx, server, database, NODE);
  }

  private static PgDatabase pool(Vertx vertx, PostgresServer server, String database, String user) {
    return PgDatabase.open(vertx, config(server, database, user), "test");
  }

  /** Runs it on an event loop, all in one turn of it. */
  void inOneTurn(Runnable work) {
    Promise<Void> done = Promise.promise();
    vertx.runOnContext(
        turn -> {
          work.run();
          done.complete();
        });
    await(done.future());
  }

  /** As a node would be configured, through a pooler if tests are asked to. */
  private static DatabaseConfig config(PostgresServer server, String database, String user) {
    Map<String, Object> values = new HashMap<>();
    values.put("database.host", server.host());
    values.put("database.port", server.port());
    values.put("database.name", database);
    values.put("database.user", user);
    values.put("database.ssl_mode", "disable");
    values.put("database.pool_size_max", 30);
    values.put("database.pool_wait_ms_max", 20_000);
    values.put("database.statement_timeout_ms", 20_000);
    PoolerChoice.before(server)
        .ifPresent(
            pooler -> {
              values.put("database.port", pooler.port());
              values.put("database.pooler", "transaction");
            });
    return MillraceConfig.from(values).database();
  }

  /** As the operator, each in a transaction of its own. */
  void execute(String... statements) {
    execute(server, database, statements);
  }

  static void execute(PostgresServer server, String database, String... statements) {
    try (Connection connection = connect(server, database, OPERATOR)) {
      for (String sql : statements) {
        execute(connection, sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of the first row as text; null when there is no row. */
  String value(String sql) {
    List<String> column = column(sql);
    return column.isEmpty() ? null : column.get(0);
  }

  static String value(Connection connection, String sql) throws SQLException {
    List<String> column = column(connection, sql);
    return column.isEmpty() ? null : column.get(0);
  }

  /** The first column as text. */
  List<String> column(String sql) {
    return column(database, sql);
  }

  List<String> column(String database, String sql) {
    try (Connection connection = connect(server, database, OPERATOR)) {
      return column(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static List<String> column(Connection connection, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }

  /** Appends one message for the aggregate and returns its id. */
  static long append(Connection connection, String aggregateId) throws SQLException {
    return Long.parseLong(
        value(
            connection,
            "select id from millrace.append('orders', 'order', '%s', 'paid', 'x'::bytea)"
                .formatted(aggregateId)));
  }

  /**
   * The name of an aggregate of type order that lies in the shard; another one for every number.
   */
  static String aggregate(int shard, int number) {
    for (int i = 0, found = 0; ; i++) {
      String name = "a" + i;
      if (ShardHash.of("order", name, SHARDS) == shard && found++ == number) {
        return name;
      }
    }
  }

  /** Blocks the test, never an event loop; fails after 30 s. */
  static <T> T await(Future<T> future) {
    try {
      return future.await(ANSWER_LIMIT_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no answer within " + ANSWER_LIMIT_S + " s", e);
    }
  }
}
