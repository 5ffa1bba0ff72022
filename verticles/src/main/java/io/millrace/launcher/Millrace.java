package io.millrace.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.Command;
import io.millrace.client.CommandClient;
import io.millrace.client.InboxConsumer;
import io.millrace.client.Outbox;
import io.millrace.cluster.Cluster;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.MessageRules;
import io.millrace.port.Resolver;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Millrace in an application's own Vertx, clustered or not. What runs is what the configuration
 * enables: writer (for the commands given), relay, inbox (for the consumers given), maintenance,
 * admin.
 *
 * <pre>{@code
 * Millrace.in(vertx, config).withCommand(new PlaceOrder()).start()
 * }</pre>
 *
 * Start completes when everything can work; stop when the work in flight is settled.
 */
public final class Millrace {
  /** The writer's own word about a time-out arrives before the caller gives up, in milliseconds. */
  private static final long REPLY_MARGIN_MS = 2_000;

  private final Vertx vertx;
  private final MillraceConfig config;
  private final Deployment deployment;
  private final Outbox outbox;

  private Millrace(Vertx vertx, MillraceConfig config, Deployment deployment) {
    this.vertx = vertx;
    this.config = config;
    this.deployment = deployment;
    this.outbox = Outbox.create(vertx, new MessageRules(config.schema().payloadBytesMax()));
  }

  /** Begins to put Millrace into a Vertx. */
  public static Builder in(Vertx vertx, MillraceConfig config) {
    return new Builder(vertx, config);
  }

  /** Appends in a transaction of the application's own. */
  public Outbox outbox() {
    return outbox;
  }

  /** Sends commands over the event bus, to this process or another one of the cluster. */
  public CommandClient commands() {
    return new CommandClient(vertx, config.writer().commandTimeoutMs() + REPLY_MARGIN_MS);
  }

  /**
   * Connections to the outbox's database, for the application's own transactions; closed by {@link
   * #stop}.
   */
  public Pool pool() {
    return deployment.applicationPool();
  }

  /** The port on which the admin routes are served; empty: they are not enabled. */
  public OptionalInt adminPort() {
    return deployment.adminPort();
  }

  /**
   * Reads no more, settles what is in flight, gives the shards back, and closes the publisher and
   * the pools, in this order. Completes within about {@code relay.settle_timeout_ms}.
   */
  public Future<Void> stop() {
    return deployment.stop();
  }

  /** What a stop is waiting for; null: nothing. May be asked on any thread. */
  @Nullable String stopping() {
    return deployment.stopping();
  }

  /** What an application adds before the start. */
  public static final class Builder {
    private final Vertx vertx;
    private final MillraceConfig config;
    private final List<Command> commands = new ArrayList<>();
    private final List<Resolver> resolvers = new ArrayList<>();
    private final List<InboxConsumer> consumers = new ArrayList<>();
    private MeterRegistry registry = new SimpleMeterRegistry();
    private @Nullable Cluster cluster;

    private Builder(Vertx vertx, MillraceConfig config) {
      this.vertx = vertx;
      this.config = config;
    }

    /** Registers a command; its name must be new. */
    public Builder withCommand(Command command) {
      commands.add(command);
      return this;
    }

    /**
     * Adds a consumer; its name must be new. Its effects go to the database that the configuration
     * names. A consumer whose database is not the outbox's belongs to a Millrace of its own, with a
     * configuration of its own: one Millrace, one database.
     */
    public Builder withConsumer(InboxConsumer consumer) {
      consumers.add(consumer);
      return this;
    }

    /** Registers a resolver of late-bound payloads; its name must be new. */
    public Builder withResolver(Resolver resolver) {
      resolvers.add(resolver);
      return this;
    }

    /**
     * The cluster that the Vertx is part of: its state then shows in health and metrics, and nodes
     * that come or go are looked for sooner. A clustered Vertx that was made otherwise works as
     * well, without these.
     */
    public Builder withCluster(Cluster cluster) {
      this.cluster = cluster;
      return this;
    }

    /**
     * Where metrics go. Only a {@link PrometheusMeterRegistry} gives {@code /metrics} something to
     * show.
     */
    public Builder withMetrics(MeterRegistry registry) {
      this.registry = registry;
      return this;
    }

    /**
     * Checks the database and deploys everything.
     *
     * @return fails, with everything taken down again, when the database cannot be reached, is a
     *     standby, was laid with another shard count, payload limit or bucket width, or has been
     *     restored from elsewhere; or when ids are not kept for as long as a consumer's topics may
     *     bring a message again
     */
    public Future<Millrace> start() {
      Deployment deployment =
          new Deployment(
              vertx,
              config,
              new Deployment.Additions(commands, consumers, resolvers, cluster, registry));
      return deployment.start().map(done -> new Millrace(vertx, config, deployment));
    }
  }
}
