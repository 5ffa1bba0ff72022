package io.millrace.writer;

import io.millrace.devstack.PgBouncerServer;
import io.millrace.devstack.PoolerChoice;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;

/**
 * A PostgreSQL with the schema laid, an application's table, and the application's login, whose
 * only role is millrace_writer.
 */
final class AppDatabase implements AutoCloseable {
  static final int PAYLOAD_BYTES_MAX = 100_000;

  /** For tests whose subject is no time limit; far above what anything here takes. */
  private static final long LIMIT_S = 30;

  private static final String APP = "shop";
  private static final String NAME = "shop_data";

  private final PostgresServer server;
  private final Vertx vertx;
  private final Pool admin;

  private AppDatabase(PostgresServer server, Vertx vertx) {
    this.server = server;
    this.vertx = vertx;
    this.admin = pool(server.user(), 4, Map.of());
  }

  static AppDatabase start(Vertx vertx) {
    PostgresServer server = PostgresServer.start(PostgresSpec.fromSystemProperty());
    server.createDatabase(NAME);
    SchemaMigration.Login login =
        new SchemaMigration.Login(server.host(), server.port(), NAME, server.user(), "", "disable");
    new SchemaMigration(
            login,
            new SchemaMigration.Layout(32, PAYLOAD_BYTES_MAX, 3, 86_400_000, 3 * 86_400_000, 3))
        .migrate();
    AppDatabase database = new AppDatabase(server, vertx);
    database.admin("create table public.orders (id text primary key, state text not null)");
    database.admin("create role shop login");
    database.admin("grant millrace_writer to shop");
    database.admin("grant select, insert, update on public.orders to shop");
    return database;
  }

  /** Connections of the application. */
  Pool app(int size) {
    return pool(APP, size, Map.of());
  }

  /** Connections of the application with settings of the session, past any pooler. */
  Pool app(int size, Map<String, String> settings) {
    return pool(APP, size, settings);
  }

  private Pool pool(String user, int size, Map<String, String> settings) {
    PgConnectOptions connect = new PgConnectOptions();
    connect.setHost(server.host()).setPort(server.port()).setDatabase(NAME).setUser(user);
    Optional<PgBouncerServer> pooler =
        settings.isEmpty() ? PoolerChoice.before(server) : Optional.empty();
    if (pooler.isPresent() && user.equals(APP)) {
      connect.setPort(pooler.get().port()).setUseLayer7Proxy(true);
      connect.setProperties(Map.of("client_encoding", "utf8", "DateStyle", "ISO"));
    } else {
      connect.setCachePreparedStatements(true);
    }
    settings.forEach(connect::addProperty);
    return PgBuilder.pool()
        .with(new PoolOptions().setMaxSize(size))
        .connectingTo(connect)
        .using(vertx)
        .build();
  }

  /** Runs a statement as the superuser. */
  List<Row> admin(String sql) {
    return await(admin.query(sql).execute().map(AppDatabase::list));
  }

  long count(String table) {
    return admin("select count(*) as n from " + table).get(0).getLong("n");
  }

  /** Empties what tests write. */
  void empty() {
    admin("truncate millrace.outbox, millrace.revision, millrace.command_answer, public.orders");
  }

  private static List<Row> list(Iterable<Row> rows) {
    return StreamSupport.stream(rows.spliterator(), false).toList();
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
      await(admin.close());
    } finally {
      server.close();
    }
  }
}
