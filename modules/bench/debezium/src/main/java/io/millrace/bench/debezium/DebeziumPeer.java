package io.millrace.bench.debezium;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.Peer;
import io.millrace.bench.spi.ProducerSettings;
import io.millrace.bench.spi.SqlAppender;
import io.millrace.bench.spi.SqlFill;
import io.millrace.bench.spi.SubjectSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The table that the event router expects, with a replication slot that is there from the
 * beginning. Option: {@code batch}, events of one batch at most.
 */
final class DebeziumPeer implements Peer {
  private static final String TABLES =
      """
      create table outbox (
        id            uuid  not null default gen_random_uuid() primary key,
        aggregatetype text  not null,
        aggregateid   text  not null,
        type          text  not null,
        payload       bytea not null);
      create publication bench for table outbox with (publish = 'insert');
      """;

  private final SubjectSettings settings;
  private final Path offsets;
  private @Nullable EngineRun run;

  DebeziumPeer(SubjectSettings settings) throws IOException {
    this.settings = settings;
    this.offsets = Files.createTempDirectory("millrace-bench-debezium").resolve("offsets.dat");
  }

  @Override
  public String description() {
    return "Debezium 3.6.1 embedded, pgoutput, outbox event router, max.batch.size="
        + settings.number("batch")
        + ", max.queue.size="
        + queue()
        + ", poll.interval.ms=5; a batch is sent by a Kafka producer ("
        + ProducerSettings.DESCRIPTION
        + ") and"
        + " confirmed when all of it is acknowledged; nothing removes published rows; a standby asks for the slot every 100 ms"
        + " (slot.retry.delay.ms); appended by one JDBC insert";
  }

  private int queue() {
    return 4 * settings.number("batch");
  }

  @Override
  public void laySchema() throws SQLException {
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLES);
      statement.execute(
          "select pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(slot()));
    }
  }

  /** Slots are the server's, not a database's. */
  private String slot() {
    return settings.database();
  }

  @Override
  public void fill(Backlog backlog) throws SQLException {
    SqlFill.run(
        settings,
        "insert into outbox (aggregatetype, aggregateid, type, payload)"
            + " select 'account', aggregate_id, 'account_changed', payload from ",
        backlog);
  }

  @Override
  public Appender appender() throws SQLException {
    return new SqlAppender(
        settings.connect(),
        "insert into outbox (aggregatetype, aggregateid, type, payload) values (?, ?, ?, ?)");
  }

  @Override
  public Optional<String> oneStatement() {
    return Optional.of(
        """
        with changed as (
          update account set balance = balance + 1, revision = revision + 1 where id = ? returning id)
        insert into outbox (aggregatetype, aggregateid, type, payload)
        select 'account', ?, 'account_changed', ? from changed
        """);
  }

  @Override
  public void startRelay() throws Exception {
    run = EngineRun.start(engineProperties(), settings.bootstrapServers());
  }

  private Properties engineProperties() {
    Properties properties = new Properties();
    properties.setProperty("name", "bench");
    properties.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    properties.setProperty("database.hostname", settings.host());
    properties.setProperty("database.port", String.valueOf(settings.port()));
    properties.setProperty("database.user", settings.user());
    properties.setProperty("database.password", "unused");
    properties.setProperty("database.dbname", settings.database());
    properties.setProperty("topic.prefix", "bench");
    properties.setProperty("plugin.name", "pgoutput");
    properties.setProperty("slot.name", slot());
    // Another engine that finds the slot taken waits for it, for longer than any measurement.
    properties.setProperty("slot.retry.delay.ms", "100");
    properties.setProperty("slot.max.retries", "36000");
    properties.setProperty("publication.name", "bench");
    properties.setProperty("publication.autocreate.mode", "disabled");
    properties.setProperty("table.include.list", "public.outbox");
    properties.setProperty("snapshot.mode", "no_data");
    properties.setProperty("tombstones.on.delete", "false");
    properties.setProperty("max.batch.size", settings.text("batch"));
    properties.setProperty("max.queue.size", String.valueOf(queue()));
    properties.setProperty("poll.interval.ms", "5");
    properties.setProperty(
        "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
    properties.setProperty("offset.storage.file.filename", offsets.toString());
    properties.setProperty("offset.flush.interval.ms", "1000");
    properties.setProperty("transforms", "outbox");
    properties.setProperty("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
    properties.setProperty("transforms.outbox.route.topic.replacement", settings.topic());
    properties.setProperty("transforms.outbox.table.fields.additional.placement", "type:header");
    return properties;
  }

  @Override
  public boolean isDivided(int relays) throws SQLException {
    return settings.isTrue(
        "select active from pg_replication_slots where slot_name = '%s'".formatted(slot()));
  }

  @Override
  public void stopRelay() throws Exception {
    EngineRun running = run;
    if (running != null) {
      running.stop();
      run = null;
    }
  }

  @Override
  public void close() {
    // The engine has been stopped, or ends with the process.
  }
}
