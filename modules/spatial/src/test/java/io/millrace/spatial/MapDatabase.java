package io.millrace.spatial;

import io.millrace.client.Outbox;
import io.millrace.core.message.Appended;
import io.millrace.core.message.Header;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.port.Resolver;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/**
 * A PostgreSQL with PostGIS and both schemas laid: {@link #app}, a login that owns its tables and
 * may only append, and {@link #relay}, one that may only read what there is to publish.
 */
final class MapDatabase implements AutoCloseable {
  static final int RESOLUTION = 8;
  static final FeatureResolver.Limits LIMITS = new FeatureResolver.Limits(9, 900_000, 30_000);

  private static final long LIMIT_S = 60;
  private static final String NAME = "map";

  final Vertx vertx = Vertx.vertx();
  final Cells cells = Cells.load();
  final Features<List<Appended>> features =
      new Features<>(Outbox.withoutNudges(new MessageRules(100_000))::append, cells);
  final Pool app;
  final Pool relay;

  private final PostgresServer server;
  private final Pool admin;
  private int layers;

  private MapDatabase(PostgresServer server) {
    this.server = server;
    this.admin = pool(server.user(), Map.of());
    this.app = pool("mapper", Map.of());
    this.relay = pool("node", Map.of("statement_timeout", "20000"));
  }

  static MapDatabase start() {
    Map<String, String> settings =
        Map.of("jit", "off", "fsync", "off", "shared_preload_libraries", "pg_stat_statements");
    PostgresServer server = PostgresServer.start(PostgresSpec.ofPostgis().withSettings(settings));
    try {
      server.createDatabase(NAME);
      new SchemaMigration(
              new SchemaMigration.Login(
                  server.host(), server.port(), NAME, server.user(), "", "disable"),
              new SchemaMigration.Layout(4, 100_000, 3, 86_400_000, 3 * 86_400_000L, 3))
          .migrate();
      MapDatabase database = new MapDatabase(server);
      database.admin("create extension postgis");
      database.migration().migrate();
      database.admin("create role mapper login in role millrace_writer");
      database.admin("create role node login in role millrace_relay");
      database.admin("create schema mapper authorization mapper");
      database.app("grant usage on schema mapper to millrace_layer");
      return database;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  SpatialMigration migration() {
    return new SpatialMigration(
        new SpatialMigration.Login(server.jdbcUrl(NAME), server.user(), ""));
  }

  PostgresServer server() {
    return server;
  }

  /** The name of a new table and layer: a geometry of the type given, and a name. */
  String layer(String geometryType, String... settings) {
    String layer = "layer_" + ++layers;
    app(
        "create table mapper.%s (id bigint primary key, version bigint not null, name text, geom %s)"
            .formatted(layer, geometryType));
    app("grant select on mapper.%s to millrace_layer".formatted(layer));
    register(layer, "bigint", settings);
    return layer;
  }

  private void register(String layer, String idType, String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("property_columns => array['name']");
    all.add("schema_version => '" + idType.length() + "'");
    admin(
        "select millrace_spatial.register_layer('%1$s', 'mapper.%1$s', 'id', 'geom', 'version', '%1$s', %2$s)"
            .formatted(layer, String.join(", ", all)));
  }

  Features.Change<List<Appended>> create(String layer, long id, String geometry) {
    return change(
        layer,
        id,
        "insert into mapper.%s (version, id, name, geom) values ($1, $2, 'new', %s)"
            .formatted(layer, geometry));
  }

  Features.Change<List<Appended>> update(String layer, long id, String geometry) {
    return change(
        layer,
        id,
        "update mapper.%s set version = $1, geom = %s where id = $2".formatted(layer, geometry));
  }

  Features.Change<List<Appended>> retire(String layer, long id) {
    return change(layer, id, "delete from mapper.%s where $1 > 0 and id = $2".formatted(layer));
  }

  /** With $1 the version and $2 the id. */
  Features.Change<List<Appended>> change(String layer, long id, String sql) {
    return await(
        app.withTransaction(
            c ->
                features.change(
                    c,
                    layer,
                    Long.toString(id),
                    (connection, version) ->
                        connection.preparedQuery(sql).execute(Tuple.of(version, id)))));
  }

  /** The application's own connection for JDBC. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl(NAME), "mapper", "");
  }

  /** Waits until a session of the application waits for a lock. */
  void awaitBlocked() {
    Awaitility.await("a session that waits for a lock")
        .atMost(Duration.ofSeconds(LIMIT_S))
        .until(
            () ->
                !admin(
                        "select 1 from pg_stat_activity where usename = 'mapper' and wait_event_type = 'Lock'")
                    .isEmpty());
  }

  /** The layer's messages as a relay reads them. */
  List<OutboxMessage> messages(String layer) {
    return admin(
            "select id, message_id, shard, aggregate_type, aggregate_id, revision, topic, message_key,"
                + " event_type, schema_version, content_type, payload, resolver, created_at"
                + " from millrace.outbox where topic = '"
                + layer
                + "' order by id")
        .stream()
        .map(MapDatabase::message)
        .toList();
  }

  private static OutboxMessage message(Row row) {
    return new OutboxMessage(
        row.getLong("id"),
        row.getUUID("message_id"),
        row.getInteger("shard"),
        row.getString("aggregate_type"),
        row.getString("aggregate_id"),
        row.getLong("revision"),
        row.getString("topic"),
        row.getString("message_key"),
        row.getString("event_type"),
        row.getString("schema_version"),
        row.getString("content_type"),
        List.<Header>of(),
        row.getBuffer("payload") == null ? null : Payload.of(row.getBuffer("payload").getBytes()),
        row.getString("resolver"),
        row.getOffsetDateTime("created_at").withOffsetSameInstant(ZoneOffset.UTC).toInstant(),
        100);
  }

  Resolver.Resolved resolve(List<OutboxMessage> messages) {
    return await(new FeatureResolver(relay, cells, LIMITS).resolve(messages));
  }

  /** What the layer's messages hold when they are published now. */
  List<JsonObject> published(String layer) {
    return resolve(messages(layer)).messages().stream().map(MapDatabase::json).toList();
  }

  static JsonObject json(OutboxMessage message) {
    return new JsonObject(Buffer.buffer(message.payload().bytes()));
  }

  /** Runs a statement as the superuser. */
  List<Row> admin(String sql) {
    return rows(admin, sql);
  }

  List<Row> app(String sql) {
    return rows(app, sql);
  }

  private static List<Row> rows(Pool pool, String sql) {
    List<Row> rows = new ArrayList<>();
    await(pool.query(sql).execute()).forEach(rows::add);
    return rows;
  }

  /** Runs a statement as the superuser in another database. */
  List<Row> in(String database, String sql) {
    return rows(poolOf(database), sql);
  }

  Pool poolOf(String database) {
    return pool(database, server.user(), Map.of());
  }

  Pool poolAs(String user) {
    return pool(user, Map.of());
  }

  private Pool pool(String user, Map<String, String> properties) {
    return pool(NAME, user, properties);
  }

  private Pool pool(String database, String user, Map<String, String> properties) {
    PgConnectOptions connect = new PgConnectOptions();
    connect.setHost(server.host()).setPort(server.port()).setDatabase(database).setUser(user);
    properties.forEach(connect::addProperty);
    return PgBuilder.pool()
        .with(new PoolOptions().setMaxSize(4))
        .connectingTo(connect)
        .using(vertx)
        .build();
  }

  /** The result, or the failure itself, thrown. */
  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(LIMIT_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw sneaky(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("not completed within " + LIMIT_S + " s", e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException sneaky(Throwable cause) throws E {
    throw (E) cause;
  }

  @Override
  public void close() {
    try {
      await(vertx.close());
    } finally {
      server.close();
    }
  }
}
