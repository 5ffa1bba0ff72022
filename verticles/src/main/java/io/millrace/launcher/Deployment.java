package io.millrace.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.admin.AdminSources;
import io.millrace.admin.AdminVerticle;
import io.millrace.admin.StatusMetrics;
import io.millrace.admin.StatusSource;
import io.millrace.client.Addresses;
import io.millrace.client.Command;
import io.millrace.client.InboxConsumer;
import io.millrace.cluster.Cluster;
import io.millrace.cluster.ClusterVerticle;
import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.MessageRules;
import io.millrace.kafka.KafkaPublisher;
import io.millrace.kafka.KafkaSettings;
import io.millrace.maintenance.MaintenanceVerticle;
import io.millrace.membership.NodeIdentity;
import io.millrace.port.Compatibility;
import io.millrace.port.Installation;
import io.millrace.port.Origin;
import io.millrace.port.Publisher;
import io.millrace.port.RelayPermit;
import io.millrace.port.Resolver;
import io.millrace.postgres.PgBucketStore;
import io.millrace.postgres.PgCompatibility;
import io.millrace.postgres.PgDatabase;
import io.millrace.postgres.PgLookStore;
import io.millrace.postgres.PgOperatorStore;
import io.millrace.postgres.PgOrigin;
import io.millrace.postgres.PgOutboxStore;
import io.millrace.postgres.PgParkedStore;
import io.millrace.postgres.PgPublishedCheck;
import io.millrace.postgres.PgReceiptStore;
import io.millrace.postgres.PgRelayPermit;
import io.millrace.postgres.PgReplayStore;
import io.millrace.postgres.PgRingStore;
import io.millrace.postgres.PgShardStore;
import io.millrace.postgres.PgStatusStore;
import io.millrace.postgres.SchemaMigration;
import io.millrace.relay.RelayPorts;
import io.millrace.relay.RelayVerticle;
import io.millrace.spatial.Cells;
import io.millrace.spatial.FeatureResolver;
import io.millrace.writer.WriterVerticle;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Wires adapters and verticles, starts them in the order in which they need each other, and stops
 * them in the reverse. What has been started when a later part fails is stopped again.
 */
final class Deployment {
  /**
   * Heartbeats and maintenance have connections of their own: a flood of passes must not cost a
   * node its lease.
   */
  private static final int CONTROL_CONNECTIONS = 2;

  private final Vertx vertx;

  private final MillraceConfig config;
  private final Additions additions;
  private final DatabaseRefusals refusals;
  private final StartedParts parts = new StartedParts();

  private @Nullable PgDatabase application;
  private @Nullable AdminVerticle admin;

  /** What the application brings. */
  record Additions(
      List<Command> commands,
      List<InboxConsumer> consumers,
      List<Resolver> resolvers,
      @Nullable Cluster cluster,
      MeterRegistry registry) {}

  Deployment(Vertx vertx, MillraceConfig config, Additions additions) {
    this.vertx = vertx;
    this.config = config.node().id().isEmpty() ? config.withNodeId(NodeName.generate()) : config;
    this.additions = additions;
    this.refusals = new DatabaseRefusals(additions.registry());
  }

  Pool applicationPool() {
    PgDatabase database = application;
    if (database == null) {
      throw new IllegalStateException("Millrace has not been started");
    }
    return database.pool();
  }

  OptionalInt adminPort() {
    AdminVerticle deployed = admin;
    return deployed == null ? OptionalInt.empty() : OptionalInt.of(deployed.actualPort());
  }

  Future<Void> start() {
    PgDatabase control = open("millrace-control", CONTROL_CONNECTIONS);
    application = open("millrace-application", config.database().poolSizeMax());
    return PoolerCheck.node(control, config.database())
        .compose(passed -> new PgCompatibility(control).read())
        .compose(Deployment::checkVersion)
        .compose(checked -> new PgStatusStore(control).installation())
        .compose(found -> new PgOrigin(control).origin().compose(origin -> check(found, origin)))
        .compose(checked -> checkPermit(new PgRelayPermit(control)))
        .compose(checked -> startCluster())
        .compose(started -> startWriter())
        .compose(started -> startRelay(control))
        .compose(started -> startMaintenance(control))
        .compose(started -> startInbox(control))
        .compose(started -> startAdmin(control))
        .recover(cause -> stop().transform(stopped -> Future.failedFuture(cause)));
  }

  private PgDatabase open(String name, int connections) {
    return open(name, connections, 0);
  }

  private PgDatabase open(String name, int connections, int silentSecondsMax) {
    DatabaseConfig sized = config.database().withPoolSizeMax(connections);
    PgDatabase database = PgDatabase.open(vertx, sized, name, silentSecondsMax);
    database.onRefusal(refusals::failed);
    parts.push("connections of " + name, database::close);
    return database;
  }

  /** Before anything else is read: what a node asks may have another answer in another version. */
  private static Future<Void> checkVersion(Optional<Compatibility> found) {
    List<String> problems = InstallationCheck.problems(found, SchemaMigration.SCHEMA_VERSION);
    return problems.isEmpty()
        ? Future.succeededFuture()
        : Future.failedFuture(new StartRefused(problems));
  }

  private Future<Void> check(Installation found, Origin origin) {
    List<String> problems = new ArrayList<>(InstallationCheck.problems(found, config.schema()));
    problems.addAll(InstallationCheck.problems(origin));
    if (!problems.isEmpty()) {
      return Future.failedFuture(new StartRefused(problems));
    }
    InstallationCheck.warn(found);
    return Future.succeededFuture();
  }

  private Future<Void> startCluster() {
    Cluster cluster = additions.cluster();
    return cluster == null
        ? Future.succeededFuture()
        : deploy("cluster", new ClusterVerticle(cluster, config.node().id(), additions.registry()));
  }

  /** Millrace's relay and a replication slot on the same outbox do not run at once. */
  private Future<Void> checkPermit(RelayPermit permit) {
    if (!config.relay().enabled()) {
      return Future.succeededFuture();
    }
    return permit
        .refusal()
        .compose(
            refusal ->
                refusal.isEmpty()
                    ? Future.succeededFuture()
                    : Future.failedFuture(
                        new StartRefused(List.of("relay.enabled is true, and " + refusal.get()))));
  }

  private Future<Void> startWriter() {
    if (!config.writer().enabled() || additions.commands().isEmpty()) {
      return Future.succeededFuture();
    }
    return deploy(
        "writer",
        new WriterVerticle(
            open("millrace-writer", config.database().poolSizeMax()).pool(),
            additions.commands(),
            config.writer(),
            new MessageRules(config.schema().payloadBytesMax())));
  }

  private Future<Void> startRelay(PgDatabase control) {
    if (!config.relay().enabled()) {
      return Future.succeededFuture();
    }
    PgDatabase passes = open("millrace-relay", config.database().poolSizeMax());
    KafkaSettings settings =
        new KafkaSettings(
            config.kafka().bootstrapServers(),
            config.kafka().properties(),
            config.kafka().source());
    // Resolves names and reads key stores, which blocks.
    return vertx
        .executeBlocking(() -> KafkaPublisher.create(vertx, settings))
        .onSuccess(publisher -> parts.push("Kafka producer", publisher::close))
        .compose(
            publisher ->
                resolvers()
                    .compose(resolvers -> deployRelay(control, passes, publisher, resolvers)));
  }

  private Future<List<Resolver>> resolvers() {
    if (!config.spatial().enabled()) {
      return Future.succeededFuture(additions.resolvers());
    }
    PgDatabase features = open("millrace-spatial", config.database().poolSizeMax());
    FeatureResolver.Limits limits =
        new FeatureResolver.Limits(
            config.spatial().coordinateDigits(),
            config.spatial().payloadBytesMax(),
            config.database().poolWaitMsMax() + 2 * config.database().statementTimeoutMs());
    // Unpacks the native library, which blocks.
    return vertx
        .executeBlocking(Cells::load)
        .map(cells -> new FeatureResolver(features::runForeign, cells, limits))
        .compose(
            resolver -> resolver.problem().compose(problem -> withFeatures(resolver, problem)));
  }

  private Future<List<Resolver>> withFeatures(FeatureResolver resolver, Optional<String> problem) {
    if (problem.isPresent()) {
      return Future.failedFuture(new StartRefused(List.of(problem.get())));
    }
    List<Resolver> all = new ArrayList<>(additions.resolvers());
    all.add(resolver);
    return Future.succeededFuture(all);
  }

  private Future<Void> deployRelay(
      PgDatabase control, PgDatabase passes, Publisher publisher, List<Resolver> resolvers) {
    RelayPorts ports =
        new RelayPorts(
            new PgOutboxStore(passes),
            new PgReceiptStore(passes),
            new PgParkedStore(passes),
            new PgReplayStore(passes),
            new PgShardStore(control),
            new PgRelayPermit(control),
            publisher,
            resolvers);
    return deploy("relay", new RelayVerticle(identity(), config, ports, additions.registry()));
  }

  private Future<Void> startMaintenance(PgDatabase control) {
    if (!config.maintenance().enabled()) {
      return Future.succeededFuture();
    }
    PgRingStore ring =
        new PgRingStore(
            control,
            (int) config.maintenance().lockTimeoutMs(),
            config.maintenance().receiptAgeMaxMs());
    PgBucketStore buckets =
        new PgBucketStore(
            control,
            (int) config.maintenance().lockTimeoutMs(),
            config.maintenance().receiptAgeMaxMs());
    MaintenanceVerticle.Ports ports =
        new MaintenanceVerticle.Ports(
            new PgShardStore(control),
            ring,
            new PgPublishedCheck(control, (int) config.maintenance().lockTimeoutMs()),
            buckets);
    return deploy(
        "maintenance", new MaintenanceVerticle(identity(), config, ports, additions.registry()));
  }

  private Future<Void> startInbox(PgDatabase control) {
    if (!config.inbox().enabled() || additions.consumers().isEmpty()) {
      return Future.succeededFuture();
    }
    return new InboxDeployment(vertx, config, additions.registry())
        .start(additions.consumers(), control, this::open, parts);
  }

  private Future<Void> startAdmin(PgDatabase control) {
    if (!config.admin().enabled()) {
      return Future.succeededFuture();
    }
    List<StatusSource> statuses = new ArrayList<>();
    if (config.relay().enabled()) {
      statuses.add(new StatusSource("relay", Addresses.relayStatus(config.node().id())));
    }
    if (config.maintenance().enabled()) {
      statuses.add(
          new StatusSource("maintenance", Addresses.maintenanceStatus(config.node().id())));
    }
    if (config.inbox().enabled()) {
      additions
          .consumers()
          .forEach(
              consumer ->
                  statuses.add(
                      new StatusSource(
                          "consumer " + consumer.name(),
                          Addresses.inboxStatus(config.node().id(), consumer.name()))));
    }
    if (additions.cluster() != null) {
      statuses.add(new StatusSource("cluster", Addresses.clusterStatus(config.node().id())));
    }
    statuses.add(new StatusSource("outbox", Addresses.outboxStatus(config.node().id())));
    AdminSources sources =
        new AdminSources(
            new PgStatusStore(control),
            adminStores(),
            () -> scrape(additions.registry()),
            statuses,
            config.printable());
    AdminVerticle verticle =
        new AdminVerticle(
            config.admin(), sources, config.node().id(), config.maintenance().retentionMs());
    admin = verticle;
    StatusMetrics metrics =
        new StatusMetrics(
            additions.registry(),
            new PgStatusStore(control),
            config.node().id(),
            new StatusMetrics.Kept(config.relay().dwellMaxMs(), config.maintenance().retentionMs()),
            StatusMetrics.INTERVAL_DEFAULT_MS);
    return deploy("admin", verticle).compose(deployed -> deploy("metrics", metrics));
  }

  /** What people look for must not keep heartbeats waiting either. */
  private AdminSources.Stores adminStores() {
    PgDatabase people = open("millrace-admin", CONTROL_CONNECTIONS);
    return new AdminSources.Stores(new PgLookStore(people), new PgOperatorStore(people));
  }

  private NodeIdentity identity() {
    return new NodeIdentity(UUID.randomUUID(), config.node().id());
  }

  private Future<Void> deploy(String name, Deployable verticle) {
    return vertx
        .deployVerticle(verticle)
        .onSuccess(id -> parts.push(name, () -> vertx.undeploy(id)))
        .mapEmpty();
  }

  static String scrape(MeterRegistry registry) {
    return registry instanceof PrometheusMeterRegistry prometheus ? prometheus.scrape() : "";
  }

  Future<Void> stop() {
    return parts.stop();
  }

  /** The part that is being stopped; null: none is. May be asked on any thread. */
  @Nullable String stopping() {
    return parts.stopping();
  }
}
