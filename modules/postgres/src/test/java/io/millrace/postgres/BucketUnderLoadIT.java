package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.inbox.BucketPlan;
import io.millrace.core.inbox.BucketPolicy;
import io.millrace.core.inbox.BucketStep;
import io.millrace.core.lease.Claim;
import io.millrace.postgres.Inbox.Message;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two consumers claim without a pause while a bucket is made and the oldest one goes. */
class BucketUnderLoadIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long DAY = PgFixture.BUCKET_MS;
  private static final int WRITERS = 2;
  private static final int BATCHES_AFTER = 50;
  private static final int RETIREMENTS = 2_000;
  private static final BucketPolicy A_DAY_LESS_AND_ONE_MORE_AHEAD =
      new BucketPolicy(DAY, PgFixture.BUCKETS_AHEAD + 1);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final List<Writer> writers = new ArrayList<>();
  private final List<CompletableFuture<Void>> runs = new ArrayList<>();

  private PgBucketStore store;
  private Claim claim;
  private long now;

  @BeforeEach
  void claimMaintenance() {
    PgDatabase database = pg.pool();
    store = new PgBucketStore(database, 20, 0);
    claim = new Nodes(database).claimMaintenance(new PgRingStore(database, 100, 0));
    now = Long.parseLong(pg.value("select (extract(epoch from now()) * 1000)::bigint"));
  }

  /** How often each status was found for fresh messages of today, and of the bucket that goes. */
  private final class Writer {
    final Map<String, Integer> today = new HashMap<>();
    final Map<String, Integer> oldest = new HashMap<>();
    private final Inbox inbox;

    Writer(Inbox inbox) {
      this.inbox = inbox;
    }

    void run() {
      try {
        while (!isOver.get()) {
          claimOnce();
        }
        for (int i = 0; i < BATCHES_AFTER; i++) {
          claimOnce();
        }
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    private void claimOnce() throws SQLException {
      today.merge(inbox.claim(Message.at(now)).get(0), 1, Integer::sum);
      inbox.commit();
      String status;
      try {
        status = inbox.claim(Message.at(now - PgFixture.RETENTION_BUCKETS * DAY)).get(0);
        inbox.commit();
      } catch (SQLException e) {
        status = e.getSQLState();
        inbox.rollback();
      }
      oldest.merge(status, 1, Integer::sum);
    }
  }

  @Test
  void claims_of_live_buckets_never_fail_and_none_is_taken_for_a_repeat() throws Exception {
    startWriters();
    boolean isDone = false;
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!isDone && System.nanoTime() < end) {
      List<BucketStep> steps =
          BucketPlan.of(PgFixture.await(store.view()), A_DAY_LESS_AND_ONE_MORE_AHEAD).steps();
      steps.forEach(this::tryStep);
      isDone = steps.isEmpty();
    }
    isOver.set(true);

    assertThat(isDone).as("the oldest bucket is gone and the new one is there").isTrue();
    requireThatNoneWasTakenForARepeat();
  }

  /** Where a claim that looks twice, before and after, would drop a message. */
  @Test
  void a_message_is_never_taken_for_a_repeat_while_its_bucket_begins_to_retire() throws Exception {
    startWriters();
    long oldest = now / DAY - PgFixture.RETENTION_BUCKETS;
    pg.execute(
        """
        do $$
        begin
          for i in 1 .. %2$d loop
            update millrace.bucket set state = 'ready' where parent = 'inbox' and bucket = %1$d;
            update millrace.inbox_window set floor = %1$d;
            commit;
            perform pg_sleep(0.0005);
            update millrace.inbox_window set floor = %1$d + 1;
            commit;
            update millrace.bucket set state = 'retiring' where parent = 'inbox' and bucket = %1$d;
            commit;
          end loop;
        end
        $$
        """
            .formatted(oldest, RETIREMENTS));
    isOver.set(true);

    requireThatNoneWasTakenForARepeat();
  }

  private void startWriters() throws SQLException {
    for (int i = 0; i < WRITERS; i++) {
      Writer writer = new Writer(new Inbox(pg.connect(PgFixture.CONSUMER), false));
      writers.add(writer);
      runs.add(CompletableFuture.runAsync(writer::run));
    }
  }

  private void requireThatNoneWasTakenForARepeat() {
    for (int i = 0; i < WRITERS; i++) {
      assertThat(runs.get(i)).succeedsWithin(LIMIT);
      assertThat(writers.get(i).today).containsOnlyKeys("new");
      assertThat(writers.get(i).oldest.keySet())
          .contains("beyond_dedup_window")
          .isSubsetOf("new", "beyond_dedup_window", "55000");
    }
  }

  private void tryStep(BucketStep step) {
    try {
      PgFixture.await(store.step(claim, step));
    } catch (Failure e) {
      assertThat(e.kind()).isEqualTo(FailureKind.TRANSIENT);
    }
  }
}
