package io.millrace.admin;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import io.millrace.devstack.PoolerChoice;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.port.StatusStore;
import io.millrace.postgres.PgDatabase;
import io.millrace.postgres.PgLookStore;
import io.millrace.postgres.PgOperatorStore;
import io.millrace.postgres.PgShardStore;
import io.millrace.postgres.PgStatusStore;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A real database with a ring of four slots and four shards, as a node finds it. */
final class AdminStand implements AutoCloseable {
  static final String NODE = "node-a";
  static final UUID NODE_ID = UUID.fromString("0190a000-0000-7000-8000-00000000000a");
  static final int SHARDS = 4;

  private static final String DATABASE = "looked_at";
  private static final int SLOTS = 4;

  final Vertx vertx = Vertx.vertx();
  final PostgresServer server = PostgresServer.start(PostgresSpec.fromSystemProperty());
  final StatusStore store;
  final AdminSources.Stores stores;
  private final PgDatabase database;

  AdminStand() {
    server.createDatabase(DATABASE);
    SchemaMigration.Login login =
        new SchemaMigration.Login(
            server.host(), server.port(), DATABASE, server.user(), "", "disable");
    new SchemaMigration(
            login,
            new SchemaMigration.Layout(SHARDS, 1_000_000, SLOTS, 86_400_000, 3 * 86_400_000, 3))
        .migrate();
    this.database = openAs(server.user());
    this.store = new PgStatusStore(database);
    this.stores = new AdminSources.Stores(new PgLookStore(database), new PgOperatorStore(database));
  }

  private PgDatabase openAs(String user) {
    Map<String, Object> values = new HashMap<>();
    values.put("database.host", server.host());
    values.put("database.port", server.port());
    values.put("database.name", DATABASE);
    values.put("database.user", user);
    values.put("database.ssl_mode", "disable");
    values.put("database.pool_size_max", 4);
    values.put("database.statement_timeout_ms", 20_000);
    PoolerChoice.before(server)
        .ifPresent(
            pooler -> {
              values.put("database.port", pooler.port());
              values.put("database.pooler", "transaction");
            });
    DatabaseConfig config = MillraceConfig.from(values).database();
    return PgDatabase.open(vertx, config, "millrace-admin-it");
  }

  /** What a node has that logs in as another role. */
  AdminSources.Stores storesAs(String user) {
    PgDatabase other = openAs(user);
    return new AdminSources.Stores(new PgLookStore(other), new PgOperatorStore(other));
  }

  /** The node owns shards 0 and 1; what was appended is not published yet. */
  void claimTwoShards() {
    PgShardStore shards = new PgShardStore(database);
    await(shards.register(NODE_ID, NODE, NodeRole.RELAY));
    for (int shard = 0; shard < 2; shard++) {
      Future<?> claim =
          shards
              .claim(NODE_ID, new ShardRow(shard, null, null, 0, false), null)
              .map(given -> given.map(Claim::epoch).orElseThrow());
      await(claim);
    }
  }

  void sql(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  double number(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  String text(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl(DATABASE), server.user(), "");
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("did not complete well within 30 s", e);
    }
  }

  @Override
  public void close() {
    await(vertx.close());
    server.close();
  }
}
