package io.millrace.postgres;

import static io.millrace.postgres.Buckets.A_DAY_LESS;
import static io.millrace.postgres.Buckets.DAY;
import static io.millrace.postgres.Buckets.LAID;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.inbox.BucketParent;
import io.millrace.core.inbox.BucketState;
import io.millrace.core.inbox.BucketStep;
import io.millrace.postgres.Inbox.Message;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buckets below the floor go, while consumers go on. */
class BucketRetirementIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Buckets buckets;
  private Inbox inbox;

  @BeforeEach
  void claimMaintenance() throws SQLException {
    buckets = new Buckets(pg);
    inbox = new Inbox(pg.connect(PgFixture.CONSUMER), false);
  }

  @Test
  void a_bucket_is_retired_step_by_step_and_its_ids_are_beyond_the_window() throws SQLException {
    Message old = Message.at(buckets.now - PgFixture.RETENTION_BUCKETS * DAY);
    assertThat(inbox.claim(old)).containsExactly("new");
    inbox.commit();

    for (int round = 0; round < 6; round++) {
      buckets.round(A_DAY_LESS);
    }

    assertThat(buckets.view().floor()).isEqualTo(buckets.oldest + 1);
    assertThat(buckets.bucket(BucketParent.INBOX, buckets.oldest)).isEmpty();
    assertThat(buckets.bucket(BucketParent.EFFECT, buckets.oldest)).isEmpty();
    assertThat(buckets.table(BucketParent.INBOX, buckets.oldest)).isNull();
    assertThat(buckets.table(BucketParent.EFFECT, buckets.oldest)).isNull();
    assertThat(inbox.claim(old)).containsExactly("beyond_dedup_window");
    assertThat(buckets.steps(LAID))
        .as("a longer retention brings nothing back")
        .containsExactly(new BucketStep.Settings(LAID.retentionMs(), LAID.bucketsAhead()));
  }

  @Test
  void no_step_of_a_retirement_can_be_done_before_its_turn() {
    for (BucketParent parent : BucketParent.values()) {
      assertThat(buckets.step(new BucketStep.NoteWaits(parent, buckets.oldest)))
          .as("at the floor")
          .isPresent();
      assertThat(buckets.step(new BucketStep.Detach(parent, buckets.oldest))).isPresent();
      assertThat(buckets.step(new BucketStep.Drop(parent, buckets.oldest))).isPresent();
    }
    buckets.raiseTheFloor();
    assertThat(buckets.step(new BucketStep.Detach(BucketParent.INBOX, buckets.oldest))).isPresent();
    assertThat(buckets.step(new BucketStep.NoteWaits(BucketParent.INBOX, buckets.oldest)))
        .isEmpty();
    assertThat(buckets.step(new BucketStep.Drop(BucketParent.INBOX, buckets.oldest))).isPresent();
    assertThat(buckets.step(new BucketStep.Detach(BucketParent.INBOX, buckets.oldest))).isEmpty();
    assertThat(buckets.step(new BucketStep.Drop(BucketParent.INBOX, buckets.oldest))).isEmpty();
  }

  @Test
  void a_claim_in_a_bucket_about_to_go_is_waited_for_and_never_repeated() throws SQLException {
    Message old = Message.at(buckets.now - PgFixture.RETENTION_BUCKETS * DAY);
    assertThat(inbox.claim(old)).containsExactly("new");

    buckets.raiseTheFloor();
    Inbox second = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    assertThat(second.claim(old))
        .as("while the first is open")
        .containsExactly("beyond_dedup_window");
    second.commit();
    for (BucketParent parent : BucketParent.values()) {
      assertThat(buckets.step(new BucketStep.NoteWaits(parent, buckets.oldest))).isEmpty();
      assertThat(buckets.step(new BucketStep.Detach(parent, buckets.oldest)))
          .as(parent.text())
          .hasValue("a transaction that may write to it is open");
    }
    // The handler's calls to the outside are recorded by another session.
    assertThat(effectOf(old)).isEqualTo("started");
    inbox.commit();

    assertThat(second.claim(old)).as("after the first").containsExactly("beyond_dedup_window");
    second.commit();
    for (BucketParent parent : BucketParent.values()) {
      assertThat(buckets.step(new BucketStep.Detach(parent, buckets.oldest)))
          .as(parent.text())
          .isEmpty();
      assertThat(buckets.step(new BucketStep.Drop(parent, buckets.oldest)))
          .as(parent.text())
          .isEmpty();
    }
    assertThat(second.claim(old)).as("when all is gone").containsExactly("beyond_dedup_window");
  }

  private String effectOf(Message message) {
    return pg.value(
        "select state from millrace.effect_begin('billing', '%s', %d, 'pay')"
            .formatted(message.id(), message.timeMs()));
  }

  /** In one look at the buckets it is ready and in the next it retires. */
  @Test
  void a_claim_that_read_the_old_floor_is_whole_though_the_bucket_begins_to_retire()
      throws SQLException {
    Message old = Message.at(buckets.now - PgFixture.RETENTION_BUCKETS * DAY);
    Inbox first = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    assertThat(first.claim(old)).containsExactly("new");
    CompletableFuture<List<String>> waiting = claimInTheBackground(inbox, old);
    assertThat(waiting).as("for the first, having read the old floor").isNotDone();
    buckets.raiseTheFloor();
    assertThat(buckets.step(new BucketStep.NoteWaits(BucketParent.INBOX, buckets.oldest)))
        .isEmpty();
    first.rollback();

    assertThat(waiting).succeedsWithin(LIMIT).isEqualTo(List.of("new"));
    assertThat(buckets.step(new BucketStep.Detach(BucketParent.INBOX, buckets.oldest))).isPresent();
    inbox.commit();
    assertThat(pg.value("select count(*) from millrace.inbox")).isEqualTo("1");
    assertThat(buckets.step(new BucketStep.Detach(BucketParent.INBOX, buckets.oldest))).isEmpty();
  }

  @Test
  void a_claim_that_had_to_wait_before_it_read_the_floor_sees_the_new_one() throws SQLException {
    Message old = Message.at(buckets.now - PgFixture.RETENTION_BUCKETS * DAY);
    Connection operator = pg.connect(PgFixture.OPERATOR);
    operator.setAutoCommit(false);
    PgFixture.execute(operator, "lock table only millrace.inbox in exclusive mode");
    CompletableFuture<List<String>> waiting = claimInTheBackground(inbox, old);
    assertThat(waiting).isNotDone();

    buckets.raiseTheFloor();
    operator.commit();

    assertThat(waiting).succeedsWithin(LIMIT).isEqualTo(List.of("beyond_dedup_window"));
  }

  private CompletableFuture<List<String>> claimInTheBackground(Inbox who, Message... messages) {
    CompletableFuture<List<String>> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return who.claim(messages);
              } catch (SQLException e) {
                throw new CompletionException(e);
              }
            });
    Awaitility.await()
        .atMost(LIMIT)
        .until(
            () ->
                answer.isDone()
                    || pg.value("select count(*) from pg_locks where not granted").equals("1"));
    return answer;
  }

  @Test
  void a_detach_that_does_not_get_its_lock_is_counted_and_waits_longer_the_next_time()
      throws SQLException {
    buckets.raiseTheFloor();
    buckets.step(new BucketStep.NoteWaits(BucketParent.INBOX, buckets.oldest));
    assertThat(inbox.claim(Message.at(buckets.now)))
        .as("of today, after the floor")
        .containsExactly("new");

    for (int attempt = 1; attempt <= 3; attempt++) {
      long begun = System.nanoTime();
      assertThat(buckets.step(new BucketStep.Detach(BucketParent.INBOX, buckets.oldest)))
          .isPresent();
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .isGreaterThanOrEqualTo(Duration.ofMillis(100L << (attempt - 1)));
      assertThat(postponements()).isEqualTo(Integer.toString(attempt));
    }
    inbox.commit();
    assertThat(buckets.step(new BucketStep.Detach(BucketParent.INBOX, buckets.oldest))).isEmpty();
    assertThat(postponements()).isEqualTo("0");
  }

  private String postponements() {
    return pg.value(
        "select postponed_count from millrace.bucket where parent = 'inbox' and bucket = "
            + buckets.oldest);
  }

  @Test
  void a_prepared_transaction_postpones_a_retirement() throws SQLException {
    Message old = Message.at(buckets.now - PgFixture.RETENTION_BUCKETS * DAY);
    inbox.claim(old);
    String name = "claimed_" + System.nanoTime();
    PgFixture.execute(inbox.connection(), "prepare transaction '" + name + "'");
    inbox.commit();
    buckets.raiseTheFloor();
    for (BucketParent parent : BucketParent.values()) {
      buckets.step(new BucketStep.NoteWaits(parent, buckets.oldest));
      assertThat(buckets.step(new BucketStep.Detach(parent, buckets.oldest)))
          .as(parent.text())
          .isPresent();
    }

    pg.execute("commit prepared '" + name + "'");

    assertThat(inbox.claim(old)).containsExactly("beyond_dedup_window");
    inbox.commit();
    for (BucketParent parent : BucketParent.values()) {
      assertThat(buckets.step(new BucketStep.Detach(parent, buckets.oldest)))
          .as(parent.text())
          .isEmpty();
    }
  }

  @Test
  void what_depends_on_a_detached_table_is_not_dropped_with_it() {
    pg.execute(
        "create view public.kept as select message_id from millrace.inbox_" + buckets.oldest);
    for (int round = 0; round < 6; round++) {
      buckets.round(A_DAY_LESS);
    }

    assertThat(buckets.stateOf(BucketParent.INBOX, buckets.oldest)).isEqualTo(BucketState.DETACHED);
    assertThat(pg.value("select postponed from millrace.bucket where bucket = " + buckets.oldest))
        .isEqualTo("something depends on its table");
    pg.execute("drop view public.kept");
    buckets.round(A_DAY_LESS);
    assertThat(buckets.bucket(BucketParent.INBOX, buckets.oldest)).isEmpty();
  }
}
