package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Writers, a relay and maintenance at the same time: the ring turns all the time, and no message is
 * lost, read twice or out of the order of its aggregate, and no writer fails.
 */
class RingUnderLoadIT {
  private static final int WRITERS = 4;
  private static final int TRANSACTIONS_MAX = 5_000;
  private static final int TRUNCATIONS = 8;
  private static final int DROPS = 3;
  private static final int AGGREGATES = 12;
  private static final long SEED = 20_240_229;
  private static final RingPolicy BREATHING = Policies.shrinking(2, 6, 100_000);
  private static final RingPolicy RESTLESS = Policies.keepingNothing(6, 2, 1);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private final Queue<Long> committed = new ConcurrentLinkedQueue<>();
  private volatile boolean isEnough;
  private int truncated;
  private int dropped;

  /** How attempts to take a slot out have ended. */
  private final Map<String, Integer> reasons = new TreeMap<>();

  @Test
  void the_ring_turns_under_load_and_nothing_is_lost() throws Exception {
    turnUnderLoad(RESTLESS, 20, 0);
  }

  @Test
  void the_ring_grows_and_shrinks_under_load_and_nothing_is_lost() throws Exception {
    // Writers here wait for each other's aggregates, so their transactions are long for their rate.
    turnUnderLoad(BREATHING, 200, DROPS);
  }

  private void turnUnderLoad(RingPolicy policy, int lockTimeoutMs, int drops) throws Exception {
    PgDatabase database = pg.pool();
    Nodes nodes = new Nodes(database);
    PgRingStore ring = new PgRingStore(database, lockTimeoutMs, 0);
    Claim claim = nodes.claimMaintenance(ring);
    ShardReaders relay = new ShardReaders(database, nodes);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      Random random = new Random(SEED + writer);
      Connection connection = pg.connect(PgFixture.APPLICATION);
      connection.setAutoCommit(false);
      writers.add(threads.submit(() -> write(connection, random)));
    }
    while (!writers.stream().allMatch(Future::isDone)) {
      relay.publishSome();
      maintain(database, ring, claim, policy);
      isEnough = truncated >= TRUNCATIONS && dropped >= drops;
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
    threads.shutdown();
    relay.publishAll();

    assertThat(relay.ids()).containsExactlyInAnyOrderElementsOf(committed);
    assertThat(truncated).as("slots emptied").isGreaterThanOrEqualTo(TRUNCATIONS);
    assertThat(dropped).as("slots dropped, of attempts %s", reasons).isGreaterThanOrEqualTo(drops);
    requireRevisionsInOrder(relay);
  }

  /** Each transaction locks its aggregate first, by its revision, and appends last. */
  private Void write(Connection connection, Random random) throws SQLException {
    for (int i = 0; i < TRANSACTIONS_MAX && !isEnough; i++) {
      String aggregate = "a" + random.nextInt(AGGREGATES);
      List<Long> ids = new ArrayList<>();
      for (int message = random.nextInt(3); message >= 0; message--) {
        String revision =
            PgFixture.value(
                connection, "select millrace.next_revision('order', '%s')".formatted(aggregate));
        ids.add(
            Long.valueOf(
                PgFixture.value(
                    connection,
                    "select id from millrace.append('orders', 'order', '%s', 'paid', null, %s)"
                        .formatted(aggregate, revision))));
      }
      if (random.nextInt(8) == 0) {
        connection.rollback();
      } else {
        connection.commit();
        committed.addAll(ids);
      }
    }
    return null;
  }

  private void maintain(PgDatabase database, PgRingStore ring, Claim claim, RingPolicy policy) {
    PgPublishedCheck check = new PgPublishedCheck(database, 100);
    for (RingStep step : RingPlan.of(PgFixture.await(ring.view()), policy).steps()) {
      if (step instanceof RingStep.CheckPublished asked) {
        if (PgFixture.await(check.unpublished(claim, asked.slot())).isEmpty()) {
          PgFixture.await(ring.step(claim, new RingStep.MarkPublished(asked.slot())));
        }
      } else {
        Optional<String> postponed = PgFixture.await(ring.step(claim, step));
        boolean isDone = postponed.isEmpty();
        if (step instanceof RingStep.Detach) {
          reasons.merge(
              postponed.map(r -> r.replaceAll("[:0-9].*", "")).orElse("done"), 1, Integer::sum);
        }
        truncated += isDone && step instanceof RingStep.Truncate ? 1 : 0;
        dropped += isDone && step instanceof RingStep.Drop ? 1 : 0;
      }
    }
    PgFixture.await(ring.rotate(claim));
  }

  private static void requireRevisionsInOrder(ShardReaders relay) {
    for (int aggregate = 0; aggregate < AGGREGATES; aggregate++) {
      String id = "a" + aggregate;
      int shard = ShardHash.of("order", id, PgFixture.SHARDS);
      List<Long> revisions =
          relay.reader(shard).messages().stream()
              .filter(m -> m.aggregateId().equals(id))
              .map(m -> m.revision())
              .toList();
      for (int i = 0; i < revisions.size(); i++) {
        assertThat(revisions.get(i)).as("%s, message %d", id, i).isEqualTo(i + 1);
      }
    }
  }
}
