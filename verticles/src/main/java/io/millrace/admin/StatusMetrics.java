package io.millrace.admin;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.port.InboxStatus;
import io.millrace.port.ShardStatus;
import io.millrace.port.SlotStatus;
import io.millrace.port.StatusStore;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the gauges that come from the database fresh: backlog, lag, owners, slots, space. A gauge
 * whose last reading failed is NaN rather than old, and {@code millrace.status.age} grows
 * meanwhile.
 *
 * <p>Runs on its own event loop context. {@code start} does not wait for the database; {@code stop}
 * waits for a reading under way, bounded, and removes the gauges. Any node may run it: all show the
 * same numbers, but for {@code millrace.shards.owned}.
 */
public final class StatusMetrics extends VerticleBase {
  /** How often to look, for a start. */
  public static final long INTERVAL_DEFAULT_MS = 5_000;

  /**
   * A reading of a full ring counts up to 100,000 rows a slot. Pausing this many times as long as
   * it took keeps that below a tenth of the time of two connections.
   */
  private static final long PAUSE_FACTOR = 9;

  private static final long PAUSE_MS_MAX = 300_000;
  private static final long STOP_MS_MAX = 2_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private static final Logger LOG = LoggerFactory.getLogger(StatusMetrics.class);

  private final MeterRegistry registry;
  private final StatusStore store;
  private final long intervalMs;
  private final StatusGauges gauges;
  private final InboxGauges inboxGauges;
  private final ReplayGauge replayGauge;
  private final StorageGauges storageGauges;
  private final PublishingGauges publishingGauges;
  private final OutboxAlarm alarm;
  private final long retentionMs;
  private final String nodeId;
  private final Counter failures;
  private Future<?> reading = Future.succeededFuture();
  private @Nullable Gauge age;
  private long timer = -1;
  private boolean isStopped;
  private boolean isFailing;
  private @Nullable ReadingNews news;
  // Scraped from any thread.
  private volatile long refreshedAt = System.nanoTime();

  /**
   * Times of a message in the outbox, in milliseconds.
   *
   * @param dwellMaxMs how long it is expected to wait at most
   * @param retentionMs how long maintenance keeps it when it is published
   */
  public record Kept(long dwellMaxMs, long retentionMs) {}

  /**
   * Reads when it is deployed.
   *
   * @param nodeId this node's name, as the database has it
   * @param kept how long messages wait and are kept
   * @param intervalMs shortest pause between two readings, in milliseconds, 1 to 300,000
   */
  public StatusMetrics(
      MeterRegistry registry, StatusStore store, String nodeId, Kept kept, long intervalMs) {
    if (intervalMs < 1 || intervalMs > PAUSE_MS_MAX) {
      throw new IllegalArgumentException(
          "intervalMs must be 1 to " + PAUSE_MS_MAX + ", found " + intervalMs);
    }
    this.registry = registry;
    this.store = store;
    this.intervalMs = intervalMs;
    this.gauges = new StatusGauges(registry, nodeId);
    this.inboxGauges = new InboxGauges(registry);
    this.replayGauge = new ReplayGauge(registry);
    this.storageGauges = new StorageGauges(registry);
    this.alarm = new OutboxAlarm(nodeId, kept.dwellMaxMs());
    this.retentionMs = kept.retentionMs();
    this.nodeId = nodeId;
    this.publishingGauges = new PublishingGauges(registry);
    this.failures =
        Counter.builder("millrace.status.failures")
            .description("Readings of shards and slots that failed")
            .register(registry);
  }

  @Override
  public Future<?> start() {
    gauges.register();
    inboxGauges.register();
    replayGauge.register();
    storageGauges.register();
    publishingGauges.register();
    alarm.listen(vertx);
    news = new ReadingNews(vertx.eventBus(), store, nodeId, retentionMs);
    age =
        Gauge.builder("millrace.status.age", this, StatusMetrics::ageSeconds)
            .baseUnit("seconds")
            .description("Since shards and slots were last read without a failure")
            .strongReference(true)
            .register(registry);
    read();
    return Future.succeededFuture();
  }

  private double ageSeconds() {
    return (System.nanoTime() - refreshedAt) / NANOS_PER_SECOND;
  }

  private void read() {
    long startedAt = System.nanoTime();
    Future<List<ShardStatus>> shards =
        store
            .shards()
            .onSuccess(gauges::showShards)
            .onSuccess(alarm::look)
            .onFailure(cause -> gauges.forgetShards());
    Future<List<SlotStatus>> slots =
        store.slots().onSuccess(gauges::showSlots).onFailure(cause -> gauges.forgetSlots());
    Future<InboxStatus> inbox =
        store.inbox().onSuccess(inboxGauges::show).onFailure(cause -> inboxGauges.forget());
    Future<?> replays =
        store.replays().onSuccess(replayGauge::show).onFailure(cause -> replayGauge.forget());
    Future<?> storage =
        store
            .storage()
            .onSuccess(storageGauges::show)
            .onSuccess(alarm::look)
            .onFailure(cause -> storageGauges.forget());
    Future<?> publishing =
        store
            .publishing()
            .onSuccess(publishingGauges::show)
            .onSuccess(gauges::showPublishing)
            .onFailure(cause -> publishingGauges.forget());
    reading =
        Future.join(List.of(shards, slots, inbox, replays, storage, publishing))
            .map(all -> System.nanoTime() - startedAt)
            .compose(
                took -> tell(shards.result(), slots.result(), inbox.result()).map(told -> took))
            .onSuccess(this::succeeded)
            .onFailure(this::failed);
  }

  private Future<Void> tell(List<ShardStatus> shards, List<SlotStatus> slots, InboxStatus inbox) {
    return news == null
        ? Future.succeededFuture()
        : news.tell(new ReadingNews.Reading(shards, slots, inbox));
  }

  private void succeeded(long tookNanos) {
    refreshedAt = System.nanoTime();
    if (isFailing) {
      LOG.info("reading the status for the metrics works again");
    }
    isFailing = false;
    long fairMs = PAUSE_FACTOR * TimeUnit.NANOSECONDS.toMillis(tookNanos);
    readAfter(Math.min(PAUSE_MS_MAX, Math.max(intervalMs, fairMs)));
  }

  /** An outage is two lines in the log, not one a reading. */
  private void failed(Throwable cause) {
    failures.increment();
    if (!isFailing) {
      LOG.warn("cannot read the status for the metrics", cause);
    }
    isFailing = true;
    if (news != null) {
      news.tellTrouble(cause);
    }
    // What took long here was the waiting, which costs the database nothing.
    readAfter(intervalMs);
  }

  private void readAfter(long pauseMs) {
    if (!isStopped) {
      timer = vertx.setTimer(pauseMs, fired -> read());
    }
  }

  @Override
  public Future<?> stop() {
    isStopped = true;
    vertx.cancelTimer(timer);
    alarm.end();
    return reading
        .timeout(STOP_MS_MAX, TimeUnit.MILLISECONDS)
        .otherwiseEmpty()
        .onComplete(settled -> removeGauges());
  }

  private void removeGauges() {
    gauges.remove();
    inboxGauges.remove();
    replayGauge.remove();
    storageGauges.remove();
    publishingGauges.remove();
    if (age != null) {
      registry.remove(age);
    }
  }
}
