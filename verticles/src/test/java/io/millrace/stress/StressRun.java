package io.millrace.stress;

import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.PostgresServer;
import io.millrace.postgres.SchemaMigration;
import io.millrace.testkit.Committed;
import io.millrace.testkit.History;
import io.millrace.testkit.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/**
 * One run of the stress test: a database and topics of its own, relay nodes in processes of their
 * own, many writers.
 */
final class StressRun implements AutoCloseable {
  private static final int WRITERS = 24;
  private static final int TOPIC_PARTITIONS = 4;
  private static final int SHARDS = 8;
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(3);

  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private final PostgresServer postgres;
  private final KafkaServer kafka;
  private final Path directory;
  private final String database;
  private final Random random;
  private final History history = new History();
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final List<Path> classPath = new ArrayList<>();
  private final DeliveredReader reader;
  private int nodesStarted;
  private int pollIntervalMs = 5;

  StressRun(PostgresServer postgres, KafkaServer kafka, Path directory, long seed)
      throws SQLException {
    this.postgres = postgres;
    this.kafka = kafka;
    this.directory = directory;
    this.random = new Random(seed);
    this.database = "stress_" + UUID.randomUUID().toString().replace("-", "");
    postgres.createDatabase(database);
    new SchemaMigration(
            new SchemaMigration.Login(
                postgres.host(), postgres.port(), database, postgres.user(), "", "disable"),
            new SchemaMigration.Layout(SHARDS, 1_000_000, 4, 86_400_000, 3 * 86_400_000, 3))
        .migrate();
    execute(
        "create schema stress",
        "create table stress.aggregate (aggregate text primary key, revision bigint not null)",
        "insert into stress.aggregate select 'a' || n, 0 from generate_series(0, "
            + (StressWriter.AGGREGATES - 1)
            + ") n",
        "create table stress.journal (message_id uuid, aggregate text, revision bigint)",
        "create table stress.scratch (n int)",
        "create table stress.truncation (slot int)",
        "create function stress.count_truncation() returns trigger language plpgsql as $$ begin "
            + "insert into stress.truncation values (new.slot); return null; end $$",
        "create trigger count_truncation after update on millrace.slot for each row "
            + "when (old.state = 'published' and new.state = 'free') execute function stress.count_truncation()",
        "alter function stress.count_truncation() security definer");
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : List.of("stress-even", "stress-odd")) {
      kafka.createTopic(topic, TOPIC_PARTITIONS, Map.of());
      for (int p = 0; p < TOPIC_PARTITIONS; p++) {
        partitions.add(new TopicPartition(topic, p));
      }
    }
    reader = new DeliveredReader(kafka.bootstrapServers(), partitions, history);
  }

  History history() {
    return history;
  }

  String url() {
    return postgres.jdbcUrl(database) + "?user=" + postgres.user();
  }

  /** Puts changed statements before the shipped ones on the class path of the nodes to come. */
  void overlay(Path classes) {
    classPath.add(classes);
  }

  /** Lets the relays of the nodes to come look seldom, so that others are faster. */
  void pollEvery(int intervalMs) {
    pollIntervalMs = intervalMs;
  }

  /** Starts a node that relays, turns the ring, or both. */
  NodeProcess startNode(boolean relays, boolean maintains) {
    String name = "node" + ++nodesStarted;
    Map<String, Object> config = new TreeMap<>();
    config.put("node", Map.of("id", name, "lease_duration_ms", 2000, "heartbeat_interval_ms", 300));
    config.put(
        "database",
        Map.of(
            "host",
            postgres.host(),
            "port",
            postgres.port(),
            "name",
            database,
            "user",
            postgres.user(),
            "ssl_mode",
            "disable"));
    config.put("kafka", Map.of("bootstrap_servers", kafka.bootstrapServers()));
    config.put("schema", Map.of("shard_count", SHARDS));
    config.put(
        "relay",
        Map.of(
            "enabled",
            relays,
            "batch_rows_max",
            50,
            "ids_scanned_max",
            1000,
            "idle_receipt_interval_ms",
            500,
            "poll_interval_min_ms",
            pollIntervalMs,
            "poll_interval_max_ms",
            Math.max(100, pollIntervalMs),
            "retry_delay_max_ms",
            1000));
    config.put(
        "maintenance",
        Map.of(
            "enabled",
            maintains,
            "interval_ms",
            30,
            "slots_max",
            16,
            "free_slots_min",
            2,
            "slot_age_max_ms",
            120,
            "retention_ms",
            0,
            "lock_timeout_ms",
            100,
            "receipt_age_max_ms",
            3000));
    config.put("admin", Map.of("enabled", maintains, "port", 0));
    config.put("writer", Map.of("enabled", false));
    Path file = directory.resolve(name + ".yaml");
    try {
      Files.writeString(file, new org.yaml.snakeyaml.Yaml().dump(config));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    NodeProcess node =
        NodeProcess.start(
            classPath,
            directory.resolve(name + ".log"),
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            List.of("io.millrace.launcher.Main", "run", "--config", file.toString()));
    nodes.add(node);
    return node;
  }

  /** Waits until every node that was started says that it works. */
  void awaitNodes() {
    for (int i = 1; i <= nodesStarted; i++) {
      Path log = directory.resolve("node" + i + ".log");
      await(log.toString())
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> Files.exists(log) && Files.readString(log).contains("Millrace runs"));
    }
  }

  /** Starts the writers; they end when the transactions are done. */
  List<Thread> startWriters(AtomicInteger remaining, int longStallMs) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Thread thread =
          new Thread(
              new StressWriter(url(), random.nextLong(), remaining, longStallMs),
              "stress-writer-" + i);
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  /**
   * Commits prepared transactions whose writer lost its connection: others wait for their locks.
   */
  void endPrepared() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      List<String> prepared = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "select gid from pg_prepared_xacts where database = current_database()")) {
        while (rows.next()) {
          prepared.add(rows.getString(1));
        }
      }
      for (String gid : prepared) {
        commitPrepared(statement, gid);
      }
    }
  }

  /**
   * A writer that is alive may end its own one first (undefined_object), or be about to
   * (object_not_in_state).
   */
  private static void commitPrepared(Statement statement, String gid) throws SQLException {
    try {
      statement.execute("commit prepared '" + gid + "'");
    } catch (SQLException e) {
      if (!Set.of("42704", "55000").contains(e.getSQLState())) {
        throw e;
      }
    }
  }

  /** Reads what has committed; nothing is in doubt any more. */
  void readJournal() throws SQLException {
    endPrepared();
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("select message_id, aggregate, revision from stress.journal")) {
      while (rows.next()) {
        history.committed(
            new Committed(rows.getObject(1, UUID.class), rows.getString(2), rows.getLong(3)));
      }
    }
  }

  /** Waits until as many messages have arrived as were committed. What is missing then is lost. */
  void awaitDrained() {
    int committed = history.committed().size();
    await()
        .atMost(DRAIN_LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> history.distinctDelivered() >= committed);
  }

  /**
   * As {@link #awaitDrained}, for a run in which some are expected to be lost: until nothing
   * arrives any more.
   */
  void awaitQuiet(Duration quiet) {
    int[] last = {-1};
    await()
        .atMost(DRAIN_LIMIT)
        .pollInterval(quiet)
        .until(
            () -> {
              int now = history.delivered().size();
              boolean isQuiet = now == last[0];
              last[0] = now;
              return isQuiet;
            });
  }

  long queryLong(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** How often a slot has been emptied, counted by a trigger in the same transaction. */
  long truncations() throws SQLException {
    return queryLong("select count(*) from stress.truncation");
  }

  @Override
  public void close() {
    nodes.forEach(NodeProcess::close);
    reader.close();
  }
}
