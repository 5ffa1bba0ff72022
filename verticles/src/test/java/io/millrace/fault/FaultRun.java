package io.millrace.fault;

import static org.awaitility.Awaitility.await;

import io.millrace.devstack.PostgresServer;
import io.millrace.launcher.Stand;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import io.millrace.stress.StressNode;
import io.millrace.stress.StressRun;
import io.millrace.testkit.Committed;
import io.millrace.testkit.Delivered;
import io.millrace.testkit.History;
import io.millrace.testkit.Invariant;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Nodes and writers to which something bad is done, and what must hold when it is over: everything
 * arrives without anybody's help, in order. {@code -Dmillrace.fault.seed=N} repeats a run.
 */
final class FaultRun implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int WARM_UP = 100;

  private final long seed;
  private final StressRun stress;
  private final List<Stand.Node> nodes = new ArrayList<>();
  private final AtomicInteger remaining = new AtomicInteger();
  private final List<Thread> writers = new ArrayList<>();

  FaultRun(PostgresServer postgres, Brokers brokers, Path directory) throws SQLException {
    this(
        postgres, brokers, directory, Long.getLong("millrace.fault.seed", new Random().nextLong()));
  }

  FaultRun(PostgresServer postgres, Brokers brokers, Path directory, long seed)
      throws SQLException {
    System.out.println("fault run, seed " + seed);
    this.seed = seed;
    this.stress = new StressRun(postgres, brokers, directory, seed);
  }

  StressRun stress() {
    return stress;
  }

  Random random() {
    return new Random(seed);
  }

  /** Starts a node in this process. */
  Stand.Node startHere(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>(stress.config(impatient(own)));
    values.putIfAbsent("node.id", "here" + (nodes.size() + 1));
    Stand.Node node = Stand.Node.start(values, builder -> builder);
    nodes.add(node);
    return node;
  }

  /** Starts a node in a process of its own. */
  StressNode startProcess(Map<String, ?> own) {
    return stress.startNode(impatient(own));
  }

  /** Short limits and pauses, so that a fault is soon noticed and soon over. */
  private static Map<String, Object> impatient(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("database.statement_timeout_ms", 2_000);
    values.put("relay.retry_delay_min_ms", 20);
    values.put("relay.retry_delay_max_ms", 300);
    values.put("maintenance.slot_age_max_ms", 500);
    values.put("maintenance.interval_ms", 100);
    values.putAll(own);
    return values;
  }

  /** Writes until {@link #finish}; returns when messages flow on every shard. */
  void startLoad(Load load) throws SQLException {
    remaining.set(Integer.MAX_VALUE);
    writers.addAll(stress.startWriters(remaining, load));
    awaitCommits(WARM_UP);
    awaitFlow();
  }

  /** Lets the writers go on for a while: a pace, not a wait for anything. */
  void pace(Duration duration) throws InterruptedException {
    writers.get(0).join(Math.max(1, duration.toMillis()));
  }

  /** Waits until so many more have been committed. */
  void awaitCommits(int count) throws SQLException {
    long before = committed();
    await("more commits").atMost(LIMIT).until(() -> committed() >= before + count);
  }

  /** Waits until as many have arrived as are committed at this moment. */
  void awaitFlow() throws SQLException {
    long committed = committed();
    await("arrival of " + committed)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> stress.history().distinctDelivered() >= committed);
  }

  private long committed() throws SQLException {
    return stress.queryLong("select count(*) from stress.journal");
  }

  long parked() throws SQLException {
    return stress.queryLong("select count(*) from millrace.parked");
  }

  /** How many messages have arrived that the database does not know, or no longer. */
  long undone() throws SQLException {
    // Deliveries first: what arrives later may have been committed later.
    List<Delivered> delivered = stress.history().delivered();
    Set<UUID> known = ids(stress.journal());
    return delivered.stream().filter(d -> !known.contains(d.messageId())).distinct().count();
  }

  private static Set<UUID> ids(List<Committed> messages) {
    return messages.stream().map(Committed::messageId).collect(Collectors.toSet());
  }

  /** Ends the writers, waits until everything has arrived, and checks what must always hold. */
  void finish() throws Exception {
    finish(Invariant.always());
  }

  /** As {@link #finish()}, with other invariants. */
  void finish(List<Invariant> invariants) throws Exception {
    endWriters();
    stress.readJournal();
    awaitDrained();
    stress.check(invariants);
    History history = stress.history();
    System.out.printf(
        "committed %,d, delivered %,d, duplicates %,d, truncations %,d%n",
        history.committed().size(),
        history.delivered().size(),
        history.duplicates(),
        stress.truncations());
  }

  /**
   * As {@link #finish}, for a database that has undone commits: what it knows now counts, and
   * messages about what it no longer knows are allowed.
   */
  void finishDespiteUndone() throws Exception {
    endWriters();
    stress.readJournal();
    awaitDrained();
    List<Committed> committed = stress.history().committed();
    stress.check(surviving(committed), Invariant.always());
    System.out.printf(
        "committed and kept %,d, delivered %,d, of which undone %,d%n",
        committed.size(), stress.history().delivered().size(), undone());
  }

  private History surviving(List<Committed> committed) {
    History surviving = new History();
    committed.forEach(surviving::committed);
    Set<UUID> known = ids(committed);
    stress.history().delivered().stream()
        .filter(d -> known.contains(d.messageId()))
        .forEach(surviving::delivered);
    return surviving;
  }

  private void awaitDrained() {
    Set<UUID> missing = ids(stress.history().committed());
    try {
      await("arrival of everything committed")
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                stress.history().delivered().forEach(d -> missing.remove(d.messageId()));
                return missing.isEmpty();
              });
    } catch (ConditionTimeoutException e) {
      System.out.println(missing.size() + " messages are missing: the invariants name them");
    }
  }

  /** Lets the writers end. */
  void endWriters() {
    remaining.set(0);
    await("the end of the writers")
        .atMost(LIMIT)
        .until(() -> writers.stream().noneMatch(Thread::isAlive));
  }

  @Override
  public void close() {
    try {
      endWriters();
    } finally {
      nodes.forEach(Stand.Node::stop);
      stress.close();
    }
  }
}
