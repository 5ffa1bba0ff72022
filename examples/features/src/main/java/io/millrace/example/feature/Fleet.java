package io.millrace.example.feature;

import io.millrace.core.message.Appended;
import io.millrace.spatial.FeatureAction;
import io.millrace.spatial.Features;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Vehicles that come, drive about and go, a change a transaction. Runs on the context that started
 * it; counts are read from any thread.
 */
final class Fleet {
  static final String LAYER = "vehicle";
  static final String TOPIC = "vehicles";

  private static final int VEHICLES = 60;
  private static final long TICK_MS = 20;

  /** Around this point, a step of up to some 300 m: at resolution 8 about every third one moves. */
  private static final double LON = 13.405;

  private static final double LAT = 52.52;
  private static final double SPREAD_DEGREES = 0.03;
  private static final double STEP_DEGREES = 0.004;

  private static final String PUT =
      "insert into fleet.vehicle as v (id, version, name, position)"
          + " values ($1::integer, $2, 'vehicle ' || $1::integer, ST_SetSRID(ST_MakePoint($3, $4), 4326))"
          + " on conflict (id) do update set version = excluded.version, position ="
          + " ST_SetSRID(ST_MakePoint(ST_X(v.position) + $5, ST_Y(v.position) + $6), 4326)";

  private final Vertx vertx;
  private final Pool pool;
  private final Features<List<Appended>> features;
  private final int changesPerSecond;
  private final Random random;
  private final Map<FeatureAction, LongAdder> done = new EnumMap<>(FeatureAction.class);
  private final LongAdder failures = new LongAdder();
  private double owed;
  private long tickedNanos = System.nanoTime();
  private boolean isStopped;
  private volatile String lastFailure = "";
  private Future<?> last = Future.succeededFuture();

  Fleet(
      Vertx vertx,
      Pool pool,
      Features<List<Appended>> features,
      int changesPerSecond,
      Random random) {
    this.vertx = vertx;
    this.pool = pool;
    this.features = features;
    this.changesPerSecond = changesPerSecond;
    this.random = random;
    for (FeatureAction action : FeatureAction.values()) {
      done.put(action, new LongAdder());
    }
  }

  void start() {
    vertx.setTimer(TICK_MS, tick -> tick());
  }

  /** One change after the other: a slow database makes fewer of them. */
  private void tick() {
    long nowNanos = System.nanoTime();
    owed = Math.min(changesPerSecond, owed + changesPerSecond * (nowNanos - tickedNanos) / 1e9);
    tickedNanos = nowNanos;
    last = changeOwed();
    last.onComplete(
        changed -> {
          if (!isStopped) {
            vertx.setTimer(TICK_MS, tick -> tick());
          }
        });
  }

  private Future<?> changeOwed() {
    if (owed < 1 || isStopped) {
      return Future.succeededFuture();
    }
    owed -= 1;
    return change().compose(changed -> changeOwed());
  }

  private Future<Void> change() {
    String id = Integer.toString(1 + random.nextInt(VEHICLES));
    boolean goes = random.nextInt(40) == 0;
    return pool.withTransaction(
            connection ->
                features.change(
                    connection,
                    LAYER,
                    id,
                    (same, version) -> goes ? remove(same, id) : put(same, id, version)))
        .onSuccess(change -> count(change.action()))
        // One that goes may have gone already.
        .onFailure(cause -> failed(goes, cause))
        .otherwiseEmpty()
        .mapEmpty();
  }

  private Future<?> put(SqlConnection connection, String id, long version) {
    return connection
        .preparedQuery(PUT)
        .execute(
            Tuple.of(
                Integer.valueOf(id),
                version,
                LON + SPREAD_DEGREES * random.nextGaussian(),
                LAT + SPREAD_DEGREES * random.nextGaussian(),
                STEP_DEGREES * random.nextGaussian(),
                STEP_DEGREES * random.nextGaussian()));
  }

  private static Future<?> remove(SqlConnection connection, String id) {
    return connection
        .preparedQuery("delete from fleet.vehicle where id = $1")
        .execute(Tuple.of(Integer.valueOf(id)));
  }

  private void failed(boolean goes, Throwable cause) {
    if (!goes) {
      failures.increment();
      lastFailure = String.valueOf(cause.getMessage());
    }
  }

  private void count(FeatureAction action) {
    LongAdder counter = done.get(action);
    if (counter != null) {
      counter.increment();
    }
  }

  /** Changes that have been committed. */
  long done() {
    return done.values().stream().mapToLong(LongAdder::sum).sum();
  }

  String doneByAction() {
    return done.entrySet().stream()
        .map(entry -> entry.getKey().text() + " " + entry.getValue().sum())
        .collect(Collectors.joining(", "));
  }

  /** How many changes have failed, and why the last one did; empty: none has. */
  String failures() {
    return failures.sum() == 0 ? "" : "  failed %,d: %s".formatted(failures.sum(), lastFailure);
  }

  /** Changes nothing more; completes when the last change has. */
  Future<Void> stop() {
    isStopped = true;
    return last.otherwiseEmpty().mapEmpty();
  }
}
