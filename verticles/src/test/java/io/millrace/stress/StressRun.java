package io.millrace.stress;

import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.PoolerChoice;
import io.millrace.devstack.PostgresServer;
import io.millrace.launcher.Stand;
import io.millrace.testkit.Committed;
import io.millrace.testkit.History;
import io.millrace.testkit.Invariant;
import io.millrace.testkit.NodeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One run of the stress test: a database and topics of its own, relay nodes in processes of their
 * own, many writers.
 */
public final class StressRun implements AutoCloseable {
  private static final int TOPIC_PARTITIONS = 4;
  private static final long LEASE_MS = 2_000;
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(3);

  private final StressDatabase database;
  private final Brokers brokers;
  private final Path directory;
  private final Random random;
  private final History history = new History();
  private final List<StressNode> nodes = new ArrayList<>();
  private final List<Path> classPath = new ArrayList<>();
  private final DeliveredReader reader;

  StressRun(PostgresServer postgres, KafkaServer kafka, Path directory, long seed)
      throws SQLException {
    this(postgres, Brokers.of(kafka), directory, seed);
  }

  /**
   * @param directory where the nodes have their configuration and their logs
   */
  public StressRun(PostgresServer postgres, Brokers brokers, Path directory, long seed)
      throws SQLException {
    this.brokers = brokers;
    this.directory = directory;
    this.random = new Random(seed);
    this.database = new StressDatabase(postgres);
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : StressWriter.topics(database.name())) {
      brokers.create().accept(topic, TOPIC_PARTITIONS);
      for (int p = 0; p < TOPIC_PARTITIONS; p++) {
        partitions.add(new TopicPartition(topic, p));
      }
    }
    reader = new DeliveredReader(brokers.forReaders(), partitions, history);
  }

  public History history() {
    return history;
  }

  public String url() {
    return database.url();
  }

  /** Its two topics. */
  public List<String> topics() {
    return StressWriter.topics(database.name());
  }

  /** Puts changed statements before the shipped ones on the class path of the nodes to come. */
  void overlay(Path classes) {
    classPath.add(classes);
  }

  /** Starts a node that relays, turns the ring, or both. */
  NodeProcess startNode(boolean relays, boolean maintains) {
    return startNode(relays, maintains, LEASE_MS);
  }

  NodeProcess startNode(boolean relays, boolean maintains, long leaseMs) {
    return startNode(
            Map.of(
                "relay.enabled",
                relays,
                "maintenance.enabled",
                maintains,
                "admin.enabled",
                maintains,
                "node.lease_duration_ms",
                leaseMs))
        .process();
  }

  /** Starts a node in a process of its own; what the caller gives is stronger than the defaults. */
  public StressNode startNode(Map<String, ?> own) {
    String name = "node" + (nodes.size() + 1);
    Map<String, Object> config = config(own);
    config.put("node.id", name);
    Path file = Stand.writeConfig(directory.resolve(name + ".yaml"), config);
    Path log = directory.resolve(name + ".log");
    NodeProcess process =
        NodeProcess.start(
            classPath,
            log,
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            List.of("io.millrace.launcher.Main", "run", "--config", file.toString()));
    StressNode node = new StressNode(name, process, log);
    nodes.add(node);
    return node;
  }

  /** A node's configuration by key: a ring that turns all the time, and quick leases. */
  public Map<String, Object> config(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("node.lease_duration_ms", LEASE_MS);
    values.put("node.heartbeat_interval_ms", 300);
    values.put("database.host", database.server().host());
    values.put("database.port", database.server().port());
    values.put("database.name", database.name());
    values.put("database.user", database.server().user());
    values.put("database.ssl_mode", "disable");
    // Who says where the database is means just that.
    if (!own.containsKey("database.port")) {
      PoolerChoice.before(database.server())
          .ifPresent(
              pooler -> {
                values.put("database.port", pooler.port());
                values.put("database.pooler", "transaction");
              });
    }
    values.put("kafka.bootstrap_servers", brokers.forNodes());
    values.put("schema.shard_count", StressDatabase.SHARDS);
    values.put("relay.batch_rows_max", 50);
    values.put("relay.ids_scanned_max", 1_000);
    values.put("relay.idle_receipt_interval_ms", 500);
    values.put("relay.poll_interval_min_ms", 5);
    values.put("relay.poll_interval_max_ms", 100);
    values.put("relay.retry_delay_max_ms", 1_000);
    values.put("maintenance.interval_ms", 30);
    values.put("maintenance.slots_max", 16);
    values.put("maintenance.free_slots_min", 2);
    values.put("maintenance.slot_age_max_ms", 120);
    values.put("maintenance.retention_ms", 0);
    values.put("maintenance.lock_timeout_ms", 100);
    values.put("maintenance.receipt_age_max_ms", 3_000);
    values.put("admin.port", 0);
    values.put("writer.enabled", false);
    values.putAll(own);
    return values;
  }

  /** Waits until every node that was started says that it works. */
  void awaitNodes() throws IOException {
    for (StressNode node : nodes) {
      node.awaitRunning();
    }
  }

  /** Starts the writers; they end when the transactions are done. */
  List<Thread> startWriters(AtomicInteger remaining, int longStallMs) {
    return startWriters(remaining, Load.full(longStallMs));
  }

  /** Starts the writers; they end when the transactions are done. */
  public List<Thread> startWriters(AtomicInteger remaining, Load load) {
    String url = url() + (load.isDurable() ? "" : "&options=-c%20synchronous_commit=off");
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < load.writers(); i++) {
      Thread thread =
          new Thread(
              new StressWriter(url, database.name(), random.nextLong(), remaining, load),
              "stress-writer-" + i);
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  /**
   * Commits prepared transactions whose writer lost its connection: others wait for their locks.
   */
  public void endPrepared() throws SQLException {
    database.endPrepared();
  }

  /**
   * Notes what has committed since the last time. The writers have ended, and nothing is in doubt
   * any more.
   */
  public void readJournal() throws SQLException {
    endPrepared();
    database.takeJournal().forEach(history::committed);
  }

  /** What has committed by now, read without being noted in the history. */
  public List<Committed> journal() throws SQLException {
    return database.journal();
  }

  /** Waits until as many messages have arrived as were committed. What is missing then is lost. */
  public void awaitDrained() {
    int committed = history.committed().size();
    awaitOrTell(() -> history.distinctDelivered() >= committed);
  }

  /**
   * As {@link #awaitDrained}, for a run in which some are expected to be lost: until every message
   * that is still in the ring counts as published, and what has reached the broker has been read.
   * What has not arrived then never will, on however slow a machine.
   */
  void awaitAllCountAsPublished() {
    awaitOrTell(() -> appendWhereSomethingWaits() == 0);
    long arrived = reader.endOffset();
    awaitOrTell(() -> history.delivered().size() >= arrived);
  }

  /**
   * One more message for every shard that has some which do not count as published: the receipt for
   * it has seen all that was committed before, also what was skipped.
   */
  private long appendWhereSomethingWaits() throws SQLException {
    return queryLong(
        "with waiting as materialized "
            + "(select distinct shard from millrace.message where state <> 'published'), "
            + "appended as (select millrace.append('stress-even', 'stress', 'end-' || e.n, 'ended', null, "
            + "revision => 1) from (select min(n) as n from generate_series(1, 1000) n "
            + "where millrace.shard_of('stress', 'end-' || n) in (select shard from waiting) "
            + "group by millrace.shard_of('stress', 'end-' || n)) e) "
            + "select count(*) from appended");
  }

  private void awaitOrTell(Callable<Boolean> condition) {
    try {
      await().atMost(DRAIN_LIMIT).pollInterval(Duration.ofMillis(200)).until(condition);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(e.getMessage() + new StressReport(this, directory).text(), e);
    }
  }

  /**
   * Checks what has arrived against what was committed.
   *
   * @throws AssertionError with what the nodes told of trouble
   */
  public void check(List<Invariant> invariants) {
    check(history, invariants);
  }

  /** As {@link #check(List)}, for a history that leaves out what the database has lost. */
  public void check(History lasting, List<Invariant> invariants) {
    try {
      Invariant.check(lasting, invariants);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + new StressReport(this, directory).text(), e);
    }
  }

  public long queryLong(String sql) throws SQLException {
    return database.queryLong(sql);
  }

  public void execute(String... statements) throws SQLException {
    database.execute(statements);
  }

  /** Makes every function and view anew, as a migration to a next version does; gives how many. */
  public int migrateAgain() throws SQLException {
    return database.migrateAgain();
  }

  /** Migrates with scripts of a version that is not there yet; gives the schema's version then. */
  public String migrateWith(String laterScripts) {
    return database.migrateWith(laterScripts);
  }

  /** How often a slot has been emptied, counted by a trigger in the same transaction. */
  public long truncations() throws SQLException {
    return queryLong("select count(*) from stress.truncation");
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.process().close());
    reader.close();
  }
}
