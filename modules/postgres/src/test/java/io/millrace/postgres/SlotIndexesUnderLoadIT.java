package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Indexes come and go while writers write, a relay reads and maintenance turns, empties and grows
 * the ring. A writer that has to wait for a lock longer than its limit fails, and with it the test.
 */
class SlotIndexesUnderLoadIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int WRITERS = 3;
  private static final int ROUNDS = 6;
  private static final int TRUNCATIONS = 4;
  private static final int COMMITS_BESIDE = 200;

  /**
   * What a writer may wait: the limit of a statement that holds or awaits such a lock, and a good
   * deal for a machine that is busy. Without a limit it would wait for the open transaction.
   */
  private static final int WRITER_LOCK_WAIT_MS = MigrationSession.STATEMENT_MS + 950;

  private static final RingPolicy RESTLESS = Policies.keepingNothing(8, 4, 1);
  private static final SlotIndex BY_TIME = new SlotIndex("by_time", "using btree (created_at)");

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private final Queue<Long> committed = new ConcurrentLinkedQueue<>();
  private final AtomicLong longestNanos = new AtomicLong();
  private volatile boolean isEnough;
  private int truncated;

  private int changes(SlotIndex... additional) {
    List<SlotIndex> indexes = new ArrayList<>(SlotIndex.declared());
    indexes.addAll(List.of(additional));
    return new SchemaMigration(
            pg.login(),
            PgFixture.layout(PgFixture.SHARDS, PgFixture.PAYLOAD_BYTES_MAX, PgFixture.SLOTS),
            List.of(),
            indexes)
        .migrate()
        .indexes();
  }

  private Void write(Connection connection, int writer) throws SQLException {
    PgFixture.execute(connection, "set lock_timeout = " + WRITER_LOCK_WAIT_MS);
    for (int i = 0; !isEnough; i++) {
      long start = System.nanoTime();
      committed.add(PgFixture.append(connection, "w" + writer + "-" + i % 10));
      longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
    }
    return null;
  }

  @Test
  void no_writer_waits_beyond_its_limit_while_indexes_come_and_go_in_a_turning_ring()
      throws Exception {
    PgDatabase database = pg.pool();
    Nodes nodes = new Nodes(database);
    PgRingStore ring = new PgRingStore(database, 20, 0);
    Claim claim = nodes.claimMaintenance(ring);
    ShardReaders relay = new ShardReaders(database, nodes);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      Connection connection = pg.connect(PgFixture.APPLICATION);
      writers.add(threads.submit(() -> write(connection, writer)));
    }
    Future<?> indexes = threads.submit(this::comeAndGo);
    while (!isEnough) {
      relay.publishSome();
      maintain(database, ring, claim);
      isEnough =
          indexes.isDone() && truncated >= TRUNCATIONS || writers.stream().anyMatch(Future::isDone);
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
    indexes.get();
    threads.shutdown();
    relay.publishAll();

    System.out.printf(
        "%,d inserts, the longest took %.1f ms, %d truncations%n",
        committed.size(), longestNanos.get() / 1e6, truncated);
    assertThat(relay.ids()).containsExactlyInAnyOrderElementsOf(committed);
    assertThat(pg.column("select indexrelid::regclass from pg_index where not indisvalid"))
        .isEmpty();
    assertThat(
            pg.value(
                "select count(*) from pg_inherits where inhparent ="
                    + " 'millrace.outbox_by_time'::regclass"))
        .isEqualTo(
            pg.value(
                "select count(*) from pg_inherits where inhparent = 'millrace.outbox'::regclass"));
  }

  private Void comeAndGo() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(changes(BY_TIME)).isPositive();
      assertThat(changes()).isEqualTo(1);
    }
    assertThat(changes(BY_TIME)).isPositive();
    return null;
  }

  private void maintain(PgDatabase database, PgRingStore ring, Claim claim) {
    PgPublishedCheck check = new PgPublishedCheck(database, 100);
    for (RingStep step : RingPlan.of(PgFixture.await(ring.view()), RESTLESS).steps()) {
      if (step instanceof RingStep.CheckPublished asked) {
        if (PgFixture.await(check.unpublished(claim, asked.slot())).isEmpty()) {
          PgFixture.await(ring.step(claim, new RingStep.MarkPublished(asked.slot())));
        }
      } else {
        boolean isDone = PgFixture.await(ring.step(claim, step)).isEmpty();
        truncated += isDone && step instanceof RingStep.Truncate ? 1 : 0;
      }
    }
    PgFixture.await(ring.rotate(claim));
  }

  @Test
  void beside_a_long_transaction_the_build_waits_and_writers_go_on() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
    Connection slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    long first = PgFixture.append(slow, "slow");
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      Connection connection = pg.connect(PgFixture.APPLICATION);
      writers.add(threads.submit(() -> write(connection, writer)));
    }

    Future<Integer> running = threads.submit(() -> changes(BY_TIME));
    awaitCommits(writers);
    assertThat(running.isDone()).as("it waits for the transaction").isFalse();
    slow.commit();
    running.get(LIMIT.toSeconds(), TimeUnit.SECONDS);

    // And once more for one that only reads: the index on the outbox can be had, the build waits.
    changes();
    slow.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    PgFixture.value(slow, "select count(*) from millrace.revision");
    Future<Integer> again = threads.submit(() -> changes(BY_TIME));
    await("a build that waits")
        .atMost(LIMIT)
        .until(
            () ->
                pg.value(
                        "select pid from pg_stat_progress_create_index where phase ="
                            + " 'waiting for old snapshots'")
                    != null);
    awaitCommits(writers);
    assertThat(again.isDone()).as("it waits for the snapshot").isFalse();
    slow.commit();
    again.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    isEnough = true;
    for (Future<?> writer : writers) {
      writer.get();
    }
    threads.shutdown();
    assertThat(pg.column("select id from millrace.outbox where aggregate_id = 'slow'"))
        .containsExactly(Long.toString(first));
  }

  private void awaitCommits(List<Future<?>> writers) {
    int before = committed.size();
    await("inserts beside an open transaction")
        .atMost(LIMIT)
        .until(
            () ->
                writers.stream().anyMatch(Future::isDone)
                    || committed.size() > before + COMMITS_BESIDE);
    assertThat(writers).as("a writer has failed").noneMatch(Future::isDone);
  }
}
