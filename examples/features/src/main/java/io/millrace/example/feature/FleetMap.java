package io.millrace.example.feature;

import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.Millrace;
import io.millrace.postgres.SchemaMigration;
import io.millrace.spatial.Cells;
import io.millrace.spatial.Features;
import io.millrace.spatial.SpatialMigration;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The application: Millrace in a Vertx of its own, a layer of vehicles, the fleet that drives, and
 * a subscriber. Calls block.
 */
final class FleetMap implements AutoCloseable {
  static final int TOPIC_PARTITIONS = 6;
  private static final String DATABASE = "postgres";
  private static final long CALL_WAIT_S = 60;
  private static final long ARRIVAL_WAIT_MS = 30_000;

  /** As whoever owns the table would say it. */
  private static final List<String> LAYER =
      List.of(
          "create schema fleet",
          "create table fleet.vehicle (id integer primary key, version bigint not null, name text,"
              + " position geometry(Point, 4326))",
          "grant usage on schema fleet to millrace_layer",
          "grant select on fleet.vehicle to millrace_layer",
          "select millrace_spatial.register_layer('vehicle', 'fleet.vehicle', 'id', 'position',"
              + " 'version', 'vehicles', property_columns => array['name'])");

  private final DevStack stack;
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final CellBoard board = new CellBoard();
  private final Millrace millrace;
  private final Fleet fleet;
  private final Subscriber subscriber;

  private FleetMap(DevStack stack, int changesPerSecond) {
    this.stack = stack;
    MillraceConfig config = MillraceConfig.from(settings());
    lay(config);
    millrace = await(Millrace.in(vertx, config).start());
    Future<?> laid = Future.succeededFuture();
    for (String statement : LAYER) {
      laid = laid.compose(before -> millrace.pool().query(statement).execute());
    }
    await(laid);
    fleet =
        new Fleet(
            vertx,
            millrace.pool(),
            new Features<>(millrace.outbox()::append, Cells.load()),
            changesPerSecond,
            new Random());
    subscriber = new Subscriber(stack.kafka().bootstrapServers(), TOPIC_PARTITIONS, board);
    context.runOnContext(started -> fleet.start());
  }

  /** Lays the schemas, starts Millrace and the fleet. */
  static FleetMap open(DevStack stack, int changesPerSecond) {
    return new FleetMap(stack, changesPerSecond);
  }

  /** The extension first: the schema for layers needs it. */
  private void lay(MillraceConfig config) {
    String user = stack.postgres().user();
    createExtension(user);
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(), stack.postgres().port(), DATABASE, user, "", "disable"),
            SchemaMigration.Layout.of(config))
        .migrate();
    new SpatialMigration(new SpatialMigration.Login(stack.postgres().jdbcUrl(DATABASE), user, ""))
        .migrate();
  }

  private void createExtension(String user) {
    try (Connection connection =
            DriverManager.getConnection(stack.postgres().jdbcUrl(DATABASE), user, "");
        Statement statement = connection.createStatement()) {
      statement.execute("create extension if not exists postgis");
    } catch (SQLException e) {
      throw new IllegalStateException("no extension postgis: " + e.getMessage(), e);
    }
  }

  private Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("database.host", stack.postgres().host());
    settings.put("database.port", stack.postgres().port());
    settings.put("database.name", DATABASE);
    settings.put("database.user", stack.postgres().user());
    settings.put("database.ssl_mode", "disable");
    settings.put("kafka.bootstrap_servers", stack.kafka().bootstrapServers());
    settings.put("spatial.enabled", true);
    settings.put("admin.port", 0);
    return settings;
  }

  void describe(PrintStream out) {
    out.printf(
        "  PostgreSQL with PostGIS  %s:%d, user %s, database %s, layer fleet.vehicle%n",
        stack.postgres().host(), stack.postgres().port(), stack.postgres().user(), DATABASE);
    out.printf(
        "  Kafka                    %s, topic %s, keyed by H3 cell%n",
        stack.kafka().bootstrapServers(), Fleet.TOPIC);
    out.printf(
        "  admin                    http://127.0.0.1:%d/partitions%n",
        millrace.adminPort().orElseThrow());
  }

  /** What a person sees every second. */
  String line(int second) {
    return "%4d s  changes %,6d%s  %s"
        .formatted(second, fleet.done(), fleet.failures(), board.line());
  }

  /** Stops the fleet, waits for what is on its way, and holds the table against the board. */
  boolean finish(PrintStream out) throws InterruptedException {
    await(fleet.stop());
    long untilMs = System.nanoTime() / 1_000_000 + ARRIVAL_WAIT_MS;
    Map<String, Long> versions = await(versions());
    while (!isSettled(versions) && System.nanoTime() / 1_000_000 < untilMs) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    List<String> stale = board.stale(versions);
    stale.forEach(out::println);
    boolean isGood = isSettled(versions) && fleet.done() > 0 && fleet.failures().isEmpty();
    out.printf(
        "%s: %,d changes (%s)%s, %s, %,d vehicles as in the table%n",
        isGood ? "OK" : "FAILED",
        fleet.done(),
        fleet.doneByAction(),
        fleet.failures(),
        board.line(),
        versions.size() - stale.size());
    return isGood;
  }

  private boolean isSettled(Map<String, Long> versions) {
    return board.arrived() >= fleet.done() && board.stale(versions).isEmpty();
  }

  private Future<Map<String, Long>> versions() {
    return millrace
        .pool()
        .query("select id::text, version from fleet.vehicle")
        .execute()
        .map(
            rows -> {
              Map<String, Long> versions = new HashMap<>();
              for (Row row : rows) {
                versions.put(row.getString(0), row.getLong(1));
              }
              return versions;
            });
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(CALL_WAIT_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    }
  }

  @Override
  public void close() {
    await(millrace.stop());
    await(vertx.close());
    subscriber.close();
  }
}
