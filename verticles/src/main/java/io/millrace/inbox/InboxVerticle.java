package io.millrace.inbox;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.client.Addresses;
import io.millrace.client.InboxConsumer;
import io.millrace.client.Watched;
import io.millrace.client.trace.MessageTracer;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.inbox.TopicSettings;
import io.millrace.port.Source;
import io.millrace.port.Source.Assignment;
import io.millrace.schedule.Loop;
import io.millrace.transaction.BoundedCall;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer of this node: a member of its Kafka group that applies the messages of the topic
 * partitions which it is assigned. Runs on its own event loop context, the handler too.
 *
 * <p>{@code start} fails when ids are not kept for long enough; it completes when the group was
 * joined, or when the broker or the database is away, which is then waited for. {@code stop} lets
 * running handlers end, bounded, and leaves the group.
 */
public final class InboxVerticle extends VerticleBase implements Source.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(InboxVerticle.class);

  /** A handler's call that holds the event loop for longer stalls everything else on it. */
  static final long BLOCKED_MS_MAX = 100;

  private static final long KEEP_UP_INTERVAL_MS = 2_000;
  private static final long RETRY_CHECK_MS = 1_000;

  private final InboxConsumer consumer;
  private final MillraceConfig config;
  private final InboxPorts ports;
  private final MeterRegistry registry;
  private final Map<Assignment, Feed> feeds = new LinkedHashMap<>();
  private final ReadAhead readAhead;

  @SuppressWarnings("NullAway.Init")
  private ConsumerSetting setting;

  @SuppressWarnings("NullAway.Init")
  private Retentions retentions;

  @SuppressWarnings("NullAway.Init")
  private Loop retentionLoop;

  @SuppressWarnings("NullAway.Init")
  private Loop topicLoop;

  @SuppressWarnings("NullAway.Init")
  private Loop keepUpLoop;

  private @Nullable MessageConsumer<JsonObject> status;
  private @Nullable Throwable sourceFailure;
  private boolean isJoined;
  private boolean isStopping;
  private volatile long lag;

  public InboxVerticle(
      InboxConsumer consumer, MillraceConfig config, InboxPorts ports, MeterRegistry registry) {
    this.consumer = consumer;
    this.config = config;
    this.ports = ports;
    this.registry = registry;
    this.readAhead =
        new ReadAhead(
            config.inbox().bufferBytesMax(), () -> feeds.values().forEach(Feed::resumeIfRoom));
  }

  @Override
  public Future<?> start() {
    InboxMetrics metrics = new InboxMetrics(registry, consumer.name());
    setting =
        new ConsumerSetting(
            context,
            consumer,
            config.inbox(),
            ports,
            new BoundedCall(context, this::called),
            new Effects(consumer.name(), ports.effects()),
            new Blame(ports.failures()),
            new Watched(vertx),
            metrics,
            MessageTracer.of(vertx));
    retentions =
        new Retentions(setting, config.relay().dwellMaxMs(), config.maintenance().retentionMs());
    gauges(metrics);
    retentionLoop = new Loop(vertx, this::checkRetention, this::retentionPauseMs);
    topicLoop = new Loop(vertx, this::checkTopics, () -> config.inbox().topicCheckIntervalMs());
    keepUpLoop = new Loop(vertx, this::keepUp, () -> KEEP_UP_INTERVAL_MS);
    status =
        vertx
            .eventBus()
            .localConsumer(
                Addresses.inboxStatus(config.node().id(), consumer.name()),
                request -> request.reply(status().toJson()));
    return retentions.check().compose(checked -> refuse()).compose(allowed -> begin());
  }

  private Future<Void> refuse() {
    List<String> refusals = retentions.refusals();
    return refusals.isEmpty()
        ? Future.succeededFuture()
        : Future.failedFuture(
            new IllegalStateException(
                "consumer "
                    + consumer.name()
                    + " does not start: "
                    + String.join("; ", refusals)
                    + " (inbox.retention_check: warn lets it start; what falls outside is parked)"));
  }

  private Future<Void> begin() {
    keepUpLoop.wakeLater();
    topicLoop.wakeLater();
    retentionLoop.wakeLater();
    return joinIfAllowed();
  }

  /** Not before it is known that ids are kept for long enough. */
  private Future<Void> joinIfAllowed() {
    if (isJoined || isStopping || !retentions.isChecked() || !retentions.refusals().isEmpty()) {
      return Future.succeededFuture();
    }
    isJoined = true;
    return ports.source().start(this);
  }

  private Future<Void> checkRetention() {
    return retentions
        .check()
        .compose(checked -> joinIfAllowed())
        .onFailure(cause -> LOG.warn("{}: cannot join its group", consumer.name(), cause))
        .otherwiseEmpty();
  }

  private long retentionPauseMs() {
    boolean isOpen = !isJoined || !retentions.missing().isEmpty() || retentions.failure() != null;
    return isOpen
        ? Math.min(RETRY_CHECK_MS, config.inbox().retentionCheckIntervalMs())
        : config.inbox().retentionCheckIntervalMs();
  }

  /** A topic that was made anew has another id, and may have grown beyond the old position. */
  private Future<Void> checkTopics() {
    List<Future<?>> asked = new ArrayList<>();
    for (String topic : consumer.topics()) {
      asked.add(
          ports.topics().settings(topic).onSuccess(found -> found.ifPresent(this::compareId)));
    }
    return Future.join(asked).<Void>mapEmpty().otherwiseEmpty();
  }

  private void compareId(TopicSettings found) {
    for (Feed feed : List.copyOf(feeds.values())) {
      boolean isOther =
          feed.assignment().topic().equals(found.topic())
              && feed.topicId() != null
              && !found.topicId().equals(feed.topicId());
      if (isOther) {
        feed.reload("the topic was made anew, its id is " + found.topicId());
      }
    }
  }

  private Future<Void> keepUp() {
    long sum = 0;
    for (Feed feed : feeds.values()) {
      feed.keepUp();
      sum += ports.source().lag(feed.assignment()).orElse(0);
    }
    lag = sum;
    return Future.succeededFuture();
  }

  private void called(long heldForMs) {
    if (heldForMs > BLOCKED_MS_MAX) {
      setting.metrics().blocked();
      LOG.warn(
          "the handler of {} held its event loop for {} ms, limit {} ms: blocking work belongs elsewhere",
          consumer.name(),
          heldForMs,
          BLOCKED_MS_MAX);
    }
  }

  private void gauges(InboxMetrics metrics) {
    metrics.gauge(
        "millrace.inbox.lag",
        "Records not yet read, of the topic partitions of this node",
        this,
        me -> me.lag);
    metrics.gauge(
        "millrace.inbox.buffered",
        "Bytes of records that wait for their transaction",
        readAhead,
        ReadAhead::bytes);
    metrics.gauge(
        "millrace.inbox.retention.needed",
        "Seconds for which ids have to be kept",
        retentions,
        r -> r.neededMs() / TimeUnit.SECONDS.toMillis(1));
    metrics.gauge(
        "millrace.inbox.retention.kept",
        "Seconds for which ids are kept",
        retentions,
        r -> r.keptMs() / (double) TimeUnit.SECONDS.toMillis(1));
  }

  private ConsumerStatus status() {
    return new ConsumerStatus(
        consumer, isJoined, sourceFailure, retentions, List.copyOf(feeds.values()), ports.source());
  }

  @Override
  public void assigned(List<Assignment> assignments) {
    if (isStopping) {
      return;
    }
    for (Assignment assignment : assignments) {
      Feed feed = new Feed(setting, assignment, readAhead);
      feeds.put(assignment, feed);
      feed.load();
    }
  }

  @Override
  public Future<Void> revoked(List<Assignment> assignments) {
    List<Future<Void>> settling = new ArrayList<>();
    for (Assignment assignment : assignments) {
      Feed feed = feeds.get(assignment);
      if (feed != null) {
        settling.add(feed.settle().onComplete(settled -> feeds.remove(assignment, feed)));
      }
    }
    return Future.join(settling).mapEmpty();
  }

  /** What runs may go on: if the new owner is ahead, its advance fails. */
  @Override
  public void lost(List<Assignment> assignments) {
    revoked(assignments)
        .onFailure(cause -> LOG.debug("{} lost {}", consumer.name(), assignments, cause));
  }

  @Override
  public void received(Assignment assignment, List<ReceivedRecord> records) {
    Feed feed = feeds.get(assignment);
    if (feed != null && !records.isEmpty()) {
      feed.received(records);
    }
  }

  @Override
  public void outOfRange(Assignment assignment, String reason) {
    Feed feed = feeds.get(assignment);
    if (feed != null) {
      feed.outOfRange(reason);
    }
  }

  @Override
  public void state(@Nullable Throwable failure) {
    sourceFailure = failure;
  }

  @Override
  public Future<?> stop() {
    isStopping = true;
    MessageConsumer<JsonObject> listening = status;
    if (listening != null) {
      listening.unregister();
    }
    Future<Void> loops =
        Future.join(retentionLoop.stop(), topicLoop.stop(), keepUpLoop.stop()).mapEmpty();
    return loops
        .transform(stopped -> revoked(List.copyOf(feeds.keySet())))
        .timeout(config.inbox().settleTimeoutMs(), TimeUnit.MILLISECONDS)
        .onFailure(cause -> LOG.warn("{}: handlers were not done in time", consumer.name(), cause))
        .otherwiseEmpty()
        .eventually(() -> ports.source().close())
        .eventually(
            () -> {
              setting.metrics().removeGauges();
              setting.watched().close();
              return Future.succeededFuture();
            });
  }
}
