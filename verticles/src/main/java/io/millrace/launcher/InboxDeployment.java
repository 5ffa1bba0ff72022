package io.millrace.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.client.InboxConsumer;
import io.millrace.client.Outbox;
import io.millrace.core.config.KafkaConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.MessageRules;
import io.millrace.inbox.InboxPorts;
import io.millrace.inbox.InboxVerticle;
import io.millrace.kafka.ConnectionProperties;
import io.millrace.kafka.KafkaSource;
import io.millrace.kafka.KafkaTopicReader;
import io.millrace.kafka.SourceSettings;
import io.millrace.port.Source;
import io.millrace.port.TopicReader;
import io.millrace.postgres.PgDatabase;
import io.millrace.postgres.PgFailures;
import io.millrace.postgres.PgInboxStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Wires the consumers: a verticle and a member of a Kafka group each, over common pools. */
final class InboxDeployment {
  /** Records of calls to the outside are short, and wait for nothing that waits for them. */
  private static final int EFFECT_CONNECTIONS = 4;

  private static final int SILENT_MARGIN_S = 3;

  private final Vertx vertx;
  private final MillraceConfig config;
  private final MeterRegistry registry;

  InboxDeployment(Vertx vertx, MillraceConfig config, MeterRegistry registry) {
    this.vertx = vertx;
    this.config = config;
    this.registry = registry;
  }

  /**
   * Starts them one after the other.
   *
   * @param open opens a pool of a name and a size, which is closed with everything else
   * @param started takes what was started, to be stopped with everything else
   */
  Future<Void> start(
      List<InboxConsumer> consumers, PgDatabase control, PoolOpener open, StartedParts started) {
    Set<String> names = new HashSet<>();
    for (InboxConsumer consumer : consumers) {
      if (!names.add(consumer.name())) {
        return Future.failedFuture(
            new IllegalArgumentException("two consumers are named '" + consumer.name() + "'"));
      }
    }
    int silentSecondsMax = silentSecondsMax();
    PgDatabase transactions =
        open.open("millrace-inbox", config.database().poolSizeMax(), silentSecondsMax);
    PgDatabase effects = open.open("millrace-inbox-effects", EFFECT_CONNECTIONS, silentSecondsMax);
    KafkaConfig kafka = config.kafka();
    // Creating Kafka clients resolves names and reads key stores, which blocks.
    return vertx
        .executeBlocking(
            () -> KafkaTopicReader.create(vertx, kafka.bootstrapServers(), kafka.properties()))
        .compose(
            topics -> {
              started.push("Kafka topic reader", topics::close);
              Shared shared = new Shared(control, transactions, effects, topics, started);
              return startFrom(consumers, 0, shared);
            });
  }

  /** Opens a pool, to be closed with everything else. */
  interface PoolOpener {
    PgDatabase open(String name, int connections, int silentSecondsMax);
  }

  /** Longer than the server itself lets a statement, a lock or a handler wait. */
  private int silentSecondsMax() {
    long ms = config.inbox().handlerTimeoutMs() + config.inbox().lockTimeoutMs();
    return (int) TimeUnit.MILLISECONDS.toSeconds(ms) + SILENT_MARGIN_S;
  }

  /** What all consumers share. */
  private record Shared(
      PgDatabase control,
      PgDatabase transactions,
      PgDatabase effects,
      TopicReader topics,
      StartedParts started) {}

  private Future<Void> startFrom(List<InboxConsumer> consumers, int next, Shared shared) {
    if (next == consumers.size()) {
      return Future.succeededFuture();
    }
    return startOne(consumers.get(next), shared)
        .compose(started -> startFrom(consumers, next + 1, shared));
  }

  private Future<Void> startOne(InboxConsumer consumer, Shared shared) {
    SourceSettings settings =
        new SourceSettings(
            config.kafka().bootstrapServers(),
            ConnectionProperties.forConsumer(
                config.kafka().properties(), config.inbox().properties()),
            consumer.name(),
            consumer.topics(),
            config.inbox().settleTimeoutMs());
    return vertx
        .executeBlocking(() -> KafkaSource.create(vertx, settings))
        .compose(source -> deploy(consumer, source, shared));
  }

  private Future<Void> deploy(InboxConsumer consumer, Source source, Shared shared) {
    shared.started().push("Kafka consumer " + consumer.name(), source::close);
    InboxPorts ports =
        new InboxPorts(
            new PgInboxStore(shared.control()),
            source,
            shared.topics(),
            shared.transactions().pool(),
            shared.effects().pool(),
            Outbox.create(vertx, new MessageRules(config.schema().payloadBytesMax())),
            PgFailures::kindInHandler);
    return vertx
        .deployVerticle(new InboxVerticle(consumer, config, ports, registry))
        .onSuccess(
            id -> shared.started().push("consumer " + consumer.name(), () -> vertx.undeploy(id)))
        .mapEmpty();
  }
}
