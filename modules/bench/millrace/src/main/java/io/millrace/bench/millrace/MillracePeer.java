package io.millrace.bench.millrace;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.Peer;
import io.millrace.bench.spi.SqlFill;
import io.millrace.bench.spi.SubjectSettings;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.MessageRules;
import io.millrace.launcher.Millrace;
import io.vertx.core.Vertx;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Options: {@code batch}, the relay's rows a pass, and {@code nudge}, whether writers in this
 * process tell the relay.
 */
final class MillracePeer implements Peer {
  /** Whether so many nodes own all shards, none two more than another. */
  private static final String DIVIDED =
      """
      select count(*) = %d and max(shards) - min(shards) <= 1
             and sum(shards) = (select count(*) from millrace.shard)
        from (select count(*) as shards from millrace.shard where owner is not null group by owner) as owners
      """;

  private final SubjectSettings settings;
  private final MillraceSettings millraceSettings;
  private final MillraceConfig config;
  private final Vertx vertx = Vertx.vertx();
  private @Nullable Millrace relay;

  MillracePeer(SubjectSettings settings) {
    this.settings = settings;
    this.millraceSettings =
        new MillraceSettings(settings, Map.of("relay.batch_rows_max", settings.number("batch")));
    this.config = millraceSettings.config();
  }

  @Override
  public String description() {
    return "default configuration (producer: linger.ms=1, batch.size=65536), relay.batch_rows_max=%d, %d shards, node.lease_duration_ms=%d, node.heartbeat_interval_ms=%d;"
            .formatted(
                config.relay().batchRowsMax(),
                config.schema().shardCount(),
                config.node().leaseDurationMs(),
                config.node().heartbeatIntervalMs())
        + " relay, maintenance and admin on;"
        + " appended by millrace-client-jdbc, nudges "
        + (nudges() ? "on" : "off");
  }

  private boolean nudges() {
    return Boolean.parseBoolean(settings.text("nudge"));
  }

  @Override
  public void laySchema() {
    millraceSettings.migrate();
  }

  @Override
  public void fill(Backlog backlog) throws Exception {
    SqlFill.run(
        settings,
        "insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type, payload, message_id,"
            + " content_type) select '%s', 'account', aggregate_id, 'account_changed', payload,"
                .formatted(settings.topic())
            + " millrace.uuid_v7(), 'application/json' from ",
        backlog);
  }

  @Override
  public Appender appender() throws Exception {
    MessageRules rules = new MessageRules(config.schema().payloadBytesMax());
    return new MillraceAppender(
        settings.connect(), settings.topic(), rules, nudges() ? vertx : null);
  }

  @Override
  public Optional<String> oneStatement() {
    return Optional.of(
        """
        with changed as (
          update account set balance = balance + 1, revision = revision + 1 where id = ? returning id)
        select a.id from changed,
          millrace.append('%s', 'account', ?, 'account_changed', ?) a
        """
            .formatted(settings.topic()));
  }

  @Override
  public void startRelay() throws Exception {
    relay = millraceSettings.start(Millrace.in(vertx, config));
  }

  @Override
  public boolean isDivided(int relays) throws SQLException {
    return settings.isTrue(DIVIDED.formatted(relays));
  }

  @Override
  public void stopRelay() throws Exception {
    Millrace started = relay;
    if (started != null) {
      MillraceSettings.await(started.stop());
      relay = null;
    }
  }

  @Override
  public void close() {
    vertx.close();
  }
}
