package io.millrace.bench.classic;

import io.millrace.bench.spi.ProducerSettings;
import io.millrace.bench.spi.SubjectSettings;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * One worker publishes, so that an aggregate's messages keep their order: the one whose session has
 * an advisory lock. The session that has it is the one that publishes, so neither is lost without
 * the other. Lives on one event loop.
 *
 * <pre>
 *   apart --(connected)--> standing by --(has the lock)--> publishing
 *   any --(a failure)--> apart, and connects again
 * </pre>
 */
final class ClassicRelay {
  /** Of its sessions, by which they are known on the server. */
  static final String APPLICATION = "classic-relay";

  /** Who has it publishes. */
  private static final String LOCK = "select pg_try_advisory_lock(1)";

  private static final long NOW = 0;
  private static final long IDLE_MS = 10;
  private static final long STANDBY_MS = 100;
  private static final long RETRY_MS = 1_000;

  private final Vertx vertx;
  private final Context context;
  private final PgConnectOptions database;
  private final KafkaProducer<String, byte[]> producer;
  private final String topic;
  private final int batch;
  private final Layout layout;
  private final Promise<Void> begun = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private @Nullable PgConnection session;
  private boolean hasLock;
  private boolean ending;

  private ClassicRelay(Vertx vertx, SubjectSettings settings, Layout layout) {
    this.vertx = vertx;
    this.layout = layout;
    this.context = vertx.getOrCreateContext();
    this.topic = settings.topic();
    this.batch = settings.number("batch");
    this.database =
        new PgConnectOptions()
            .setHost(settings.host())
            .setPort(settings.port())
            .setDatabase(settings.database())
            .setUser(settings.user())
            .addProperty("application_name", APPLICATION)
            .setCachePreparedStatements(true);
    this.producer =
        new KafkaProducer<>(
            ProducerSettings.of(settings.bootstrapServers()),
            new StringSerializer(),
            new ByteArraySerializer());
  }

  static ClassicRelay start(Vertx vertx, SubjectSettings settings, Layout layout) {
    ClassicRelay relay = new ClassicRelay(vertx, settings, layout);
    relay.context.runOnContext(started -> relay.pass());
    return relay;
  }

  /** Completes when it publishes or stands by. */
  Future<Void> begun() {
    return begun.future();
  }

  Future<Void> stop() {
    context.runOnContext(asked -> ending = true);
    return ended
        .future()
        .eventually(() -> vertx.executeBlocking(this::closeProducer))
        .eventually(this::leave);
  }

  private boolean closeProducer() {
    producer.close();
    return true;
  }

  private void pass() {
    if (ending) {
      ended.complete();
      return;
    }
    turn()
        .onSuccess(this::passAfter)
        .onFailure(
            failure -> {
              System.err.println("classic relay: " + failure);
              leave().onComplete(left -> passAfter(RETRY_MS));
            });
  }

  private void passAfter(long pauseMs) {
    if (pauseMs == NOW) {
      pass();
    } else {
      vertx.setTimer(pauseMs, due -> pass());
    }
  }

  /** The pause after it, in milliseconds. */
  private Future<Long> turn() {
    PgConnection open = session;
    if (open == null) {
      return PgConnection.connect(vertx, database).map(this::joined);
    }
    return hasLock ? publishNext(open) : lock(open);
  }

  private long joined(PgConnection connected) {
    session = connected;
    return NOW;
  }

  private Future<Long> lock(PgConnection open) {
    return open.preparedQuery(LOCK)
        .execute()
        .map(
            rows -> {
              hasLock = rows.iterator().next().getBoolean(0);
              begun.tryComplete();
              return hasLock ? NOW : STANDBY_MS;
            });
  }

  /** Ends the session's transaction and its lock, too. */
  private Future<Void> leave() {
    PgConnection open = session;
    session = null;
    hasLock = false;
    return open == null ? Future.succeededFuture() : open.close();
  }

  private Future<Long> publishNext(PgConnection open) {
    return open.begin()
        .compose(begun -> publishBatch(open).compose(count -> begun.commit().map(count)))
        .map(count -> count > 0 ? NOW : IDLE_MS);
  }

  private Future<Integer> publishBatch(PgConnection connection) {
    return connection
        .preparedQuery(layout.read())
        .execute(Tuple.of(batch))
        .compose(
            rows ->
                rows.size() == 0
                    ? Future.succeededFuture(0)
                    : publish(rows).compose(ids -> mark(connection, ids)));
  }

  /**
   * Straight to Kafka's own producer: the one of Vert.x hands each record over to another thread.
   */
  private Future<Long[]> publish(RowSet<Row> rows) {
    Long[] ids = new Long[rows.size()];
    AtomicInteger open = new AtomicInteger(ids.length);
    Promise<Long[]> acknowledged = Promise.promise();
    int i = 0;
    for (Row row : rows) {
      ids[i++] = row.getLong(0);
      var unused =
          producer.send(
              record(row),
              (metadata, failure) -> {
                if (failure != null) {
                  context.runOnContext(told -> acknowledged.tryFail(failure));
                } else if (open.decrementAndGet() == 0) {
                  context.runOnContext(told -> acknowledged.tryComplete(ids));
                }
              });
    }
    return acknowledged.future();
  }

  private ProducerRecord<String, byte[]> record(Row row) {
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(topic, row.getString(3), row.getBuffer(5).getBytes());
    record
        .headers()
        .add("id", utf8(row.getUUID(1).toString()))
        .add("aggregate_type", utf8(row.getString(2)))
        .add("event_type", utf8(row.getString(4)));
    return record;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Future<Integer> mark(PgConnection connection, Long[] ids) {
    return connection.preparedQuery(layout.mark()).execute(Tuple.of(ids)).map(marked -> ids.length);
  }
}
