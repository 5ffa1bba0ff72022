package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Relay, Debezium, relay, Debezium, relay, while writers go on, some of them late or rolled back,
 * and the ring turns and is emptied: everything committed is delivered, in the order of each
 * aggregate.
 */
class SwitchUnderLoadIT {
  private static final RingPolicy RESTLESS = Policies.keepingNothing(8, 2, 1);
  private static final int WRITERS = 6;

  /** Writers that outrun their publisher would put off every switch for ever. */
  private static final int UNDELIVERED_MAX = 600;

  private static final long STAGE_MS = 1_500;
  private static final long LIMIT_MS = Duration.ofSeconds(60).toMillis();

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private final long seed = System.nanoTime();

  /** What was committed: the aggregate by id, and the id by message id. */
  private final Map<Long, String> committed = new ConcurrentHashMap<>();

  private final Map<String, Long> idOf = new ConcurrentHashMap<>();
  private final List<Long> delivered = new ArrayList<>();
  private final Semaphore room = new Semaphore(UNDELIVERED_MAX);
  private volatile boolean isOver;
  private volatile Throwable failure;

  private PgDatabase database;
  private Nodes nodes;
  private PgRingStore ring;
  private PgPublishedCheck check;
  private Claim claim;
  private Subscriber debezium;
  private ShardReaders relay;
  private int[] relayed;
  private int replicated;
  private String waitsFor;

  @BeforeEach
  void start() {
    database = pg.pool();
    nodes = new Nodes(database);
    ring = new PgRingStore(database, 100, 0);
    check = new PgPublishedCheck(database, 100);
    claim = nodes.claimMaintenance(ring);
  }

  @AfterEach
  void dropReplicationSlots() {
    debezium.drop();
  }

  @Test
  void nothing_is_lost_or_overtaken_while_the_publisher_changes() throws Exception {
    List<Thread> writers = startWriters();
    try {
      for (int round = 0; round < 2; round++) {
        startRelay();
        runFor(STAGE_MS, this::relay);
        switchToDebezium();
        runFor(STAGE_MS, this::replicate);
        switchBack();
      }
      startRelay();
      runFor(STAGE_MS, this::relay);
    } finally {
      isOver = true;
      for (Thread writer : writers) {
        writer.join();
      }
    }
    runFor(200, this::relay);

    assertThat(failure).isNull();
    assertThat(new HashSet<>(delivered))
        .as("seed %s", seed)
        .containsExactlyInAnyOrderElementsOf(committed.keySet());
    assertInOrder();
    assertThat(pg.value("select count(*) from millrace.slot where truncated_at is not null"))
        .isNotEqualTo("0");
  }

  private List<Thread> startWriters() {
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int number = i;
      Connection connection = pg.connect(PgFixture.APPLICATION);
      Thread writer = new Thread(() -> write(connection, number), "writer-" + i);
      writer.start();
      writers.add(writer);
    }
    return writers;
  }

  /** Each writer has aggregates of its own, so that ids rise in the order of commits. */
  private void write(Connection connection, int number) {
    Random random = new Random(seed + number);
    try {
      connection.setAutoCommit(false);
      while (!isOver) {
        if (!room.tryAcquire(100, TimeUnit.MILLISECONDS)) {
          continue;
        }
        String aggregate = "w" + number + "-" + random.nextInt(3);
        String row =
            PgFixture.value(
                connection,
                "select id || ' ' || message from millrace.append('orders', 'order', '%s', 'paid', 'x')"
                    .formatted(aggregate));
        // Not so often that the outbox is never free for the moment that the switch needs it.
        if (random.nextInt(50) == 0) {
          PgFixture.execute(connection, "select pg_sleep(" + random.nextInt(150) / 1000.0 + ")");
        }
        if (random.nextInt(10) == 0) {
          connection.rollback();
          room.release();
          continue;
        }
        connection.commit();
        String[] parts = row.split(" ");
        committed.put(Long.valueOf(parts[0]), aggregate);
        idOf.put(parts[1], Long.valueOf(parts[0]));
      }
    } catch (SQLException | InterruptedException e) {
      failure = e;
    }
  }

  private void deliver(long id) {
    delivered.add(id);
    room.release();
  }

  private void startRelay() {
    relay = new ShardReaders(database, nodes);
    relayed = new int[PgFixture.SHARDS];
  }

  private void relay() {
    relay.publishSome();
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      List<Long> ids = relay.reader(shard).ids();
      ids.subList(relayed[shard], ids.size()).forEach(this::deliver);
      relayed[shard] = ids.size();
    }
    maintain();
  }

  private void replicate() {
    debezium.readAll();
    List<String> all = debezium.messageIds();
    for (String messageId : all.subList(replicated, all.size())) {
      Long id = idOf.get(messageId);
      // Its writer has committed it, and may not have said so yet.
      deliver(
          id != null
              ? id
              : Long.valueOf(
                  pg.value(
                      "select id from millrace.outbox where message_id = '" + messageId + "'")));
    }
    replicated = all.size();
    maintain();
  }

  private void maintain() {
    for (RingStep step : RingPlan.of(PgFixture.await(ring.view()), RESTLESS).steps()) {
      if (step instanceof RingStep.CheckPublished asked) {
        if (PgFixture.await(check.unpublished(claim, asked.slot())).isEmpty()) {
          PgFixture.await(ring.step(claim, new RingStep.MarkPublished(asked.slot())));
        }
      } else {
        // A lock that a writer holds postpones a step.
        PgFixture.await(ring.step(claim, step).otherwiseEmpty());
      }
    }
  }

  private void switchToDebezium() {
    debezium = new Subscriber(pg);
    replicated = 0;
    until(this::isPrepared);
    debezium.make();
    until(
        () -> {
          waitsFor = debezium.useDebezium();
          return waitsFor == null;
        });
  }

  /** Tried again when the outbox was in use. */
  private boolean isPrepared() {
    try {
      debezium.act("millrace.prepare_debezium('ann')");
      return true;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("call it again");
      return false;
    }
  }

  private void switchBack() {
    until(this::isBack);
    debezium.drop();
  }

  private boolean isBack() {
    replicate();
    try {
      return debezium.useRelay() == null;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("call it again");
      return false;
    }
  }

  private void until(BooleanSupplier done) {
    long endMs = nowMs() + LIMIT_MS;
    while (!done.getAsBoolean()) {
      assertThat(nowMs()).as("seed %s, waits for: %s", seed, waitsFor).isLessThan(endMs);
      if (pg.value("select publisher from millrace.publishing").equals("relay")) {
        relay();
      }
    }
  }

  private static void runFor(long ms, Runnable round) {
    long endMs = nowMs() + ms;
    while (nowMs() < endMs) {
      round.run();
    }
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  private void assertInOrder() {
    Map<String, Long> newest = new HashMap<>();
    Set<Long> seen = new HashSet<>();
    for (long id : delivered) {
      if (seen.add(id)) {
        Long before = newest.put(committed.get(id), id);
        assertThat(before == null || before < id)
            .as("seed %s: %s after %s", seed, id, before)
            .isTrue();
      }
    }
  }
}
