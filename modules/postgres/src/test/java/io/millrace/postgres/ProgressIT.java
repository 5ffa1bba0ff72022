package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.StripePosition;
import io.millrace.core.lease.Claim;
import io.millrace.port.InboxStore.LoadedChain;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How far consumers are, by compare-and-set, and carried forward when its lists are rotated. */
class ProgressIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int STRIPES = 2;
  private static final Chain CHAIN = new Chain(Inbox.CONSUMER, Inbox.TOPIC, Inbox.TOPIC_ID, 0);
  private static final String CURRENT =
      "select pg_sequence_last_value('millrace.progress_part'::regclass)";

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgInboxStore store;
  private PgBucketStore maintenance;
  private Claim claim;
  private Inbox inbox;

  @BeforeEach
  void begin() throws SQLException {
    store = new PgInboxStore(pg.poolOf(PgFixture.CONSUMER));
    PgDatabase database = pg.pool();
    maintenance = new PgBucketStore(database, 100, 0);
    claim = new Nodes(database).claimMaintenance(new PgRingStore(database, 100, 0));
    inbox = new Inbox(pg.connect(PgFixture.CONSUMER), false);
  }

  private LoadedChain load() {
    return PgFixture.await(store.load(CHAIN));
  }

  private boolean restart(LoadedChain loaded, int stripes, long offset) {
    return PgFixture.await(store.restart(CHAIN, loaded, stripes, offset, 1, "a test"));
  }

  private void start() {
    assertThat(restart(load(), STRIPES, 10)).isTrue();
  }

  private void rotate() {
    PgFixture.await(maintenance.rotateProgress(claim));
  }

  private void requireMoved(String what, Inbox who, int stripe, int stripes, long from) {
    assertThatThrownBy(() -> who.advance(stripe, stripes, from, from + 5))
        .as(what)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("MR001"));
  }

  @Test
  void a_consumer_that_has_read_nothing_has_no_progress_and_may_begin() {
    assertThat(load()).isEqualTo(new LoadedChain(List.of(), false, false));
    start();

    assertThat(load().stripes())
        .containsExactly(
            new StripePosition(0, STRIPES, 1, 10, 1), new StripePosition(1, STRIPES, 1, 10, 1));
    assertThat(pg.column("select distinct reason from millrace.progress"))
        .containsExactly("a test");
  }

  @Test
  void progress_moves_from_where_the_stripe_stands() throws SQLException {
    start();
    inbox.advance(1, STRIPES, 10, 25);
    inbox.commit();
    inbox.advance(1, STRIPES, 25, 31);
    inbox.commit();

    assertThat(load().stripes())
        .containsExactly(
            new StripePosition(0, STRIPES, 1, 10, 1), new StripePosition(1, STRIPES, 3, 31, 1));
    assertThat(
            pg.column(
                "select from_offset from millrace.progress where stripe = 1 and counter > 1 order by 1"))
        .containsExactly("10", "25");
  }

  @Test
  void from_elsewhere_or_of_another_layout_or_before_the_beginning_it_does_not_move()
      throws SQLException {
    requireMoved("before the beginning", inbox, 0, STRIPES, 10);
    inbox.rollback();
    start();

    requireMoved("behind", inbox, 0, STRIPES, 9);
    inbox.rollback();
    requireMoved("ahead", inbox, 0, STRIPES, 11);
    inbox.rollback();
    requireMoved("another layout", inbox, 0, 3, 10);
    inbox.rollback();
    assertThat(pg.value("select count(*) from millrace.progress")).isEqualTo("2");
  }

  @Test
  void of_two_that_advance_at_once_one_finds_that_it_has_moved() throws SQLException {
    start();
    Inbox zombie = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    inbox.advance(0, STRIPES, 10, 20);

    CompletableFuture<Void> late =
        CompletableFuture.runAsync(() -> requireMoved("late", zombie, 0, STRIPES, 10));
    Awaitility.await()
        .atMost(LIMIT)
        .until(() -> pg.value("select count(*) from pg_locks where not granted").equals("1"));
    inbox.commit();

    assertThat(late).succeedsWithin(LIMIT);
  }

  @Test
  void of_two_that_advance_at_once_the_second_goes_on_if_the_first_rolls_back() throws Exception {
    start();
    Inbox second = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    inbox.advance(0, STRIPES, 10, 20);
    CompletableFuture<Void> late =
        CompletableFuture.runAsync(
            () -> {
              try {
                second.advance(0, STRIPES, 10, 15);
                second.commit();
              } catch (SQLException e) {
                throw new AssertionError(e);
              }
            });
    Awaitility.await()
        .atMost(LIMIT)
        .until(() -> pg.value("select count(*) from pg_locks where not granted").equals("1"));
    inbox.rollback();

    assertThat(late).succeedsWithin(LIMIT);
    assertThat(load().stripes().get(0).to()).isEqualTo(15);
  }

  @Test
  void a_restart_is_refused_when_the_chain_has_moved_since_it_was_loaded() throws SQLException {
    LoadedChain nothing = load();
    start();
    assertThat(restart(nothing, STRIPES, 0)).as("somebody has begun").isFalse();
    LoadedChain loaded = load();
    inbox.advance(1, STRIPES, 10, 20);
    inbox.commit();

    assertThat(restart(loaded, STRIPES, 0)).as("somebody has advanced").isFalse();
    assertThat(restart(load(), STRIPES, 0)).isTrue();
    assertThat(load().stripes())
        .containsExactly(
            new StripePosition(0, STRIPES, 2, 0, 1), new StripePosition(1, STRIPES, 3, 0, 1));
  }

  @Test
  void another_number_of_stripes_ends_those_that_are_no_more() throws SQLException {
    start();
    inbox.advance(1, STRIPES, 10, 20);
    inbox.commit();

    assertThat(restart(load(), 1, 10)).isTrue();
    assertThat(load().stripes()).containsExactly(new StripePosition(0, 1, 2, 10, 1));
    requireMoved("a stripe that is no more", inbox, 1, STRIPES, 20);
    inbox.rollback();

    assertThat(restart(load(), 3, 12)).isTrue();
    assertThat(load().stripes())
        .containsExactly(
            new StripePosition(0, 3, 3, 12, 1),
            new StripePosition(1, 3, 4, 12, 1),
            new StripePosition(2, 3, 1, 12, 1));
    inbox.advance(1, 3, 12, 13);
    inbox.commit();
  }

  @Test
  void a_topic_that_was_made_anew_is_known_by_its_old_progress() {
    start();
    Chain anew = new Chain(Inbox.CONSUMER, Inbox.TOPIC, UUID.randomUUID(), 3);

    assertThat(PgFixture.await(store.load(anew)))
        .isEqualTo(new LoadedChain(List.of(), false, true));
    assertThat(
            PgFixture.await(store.load(new Chain("another", Inbox.TOPIC, UUID.randomUUID(), 3)))
                .isRecreated())
        .isFalse();
    assertThat(load().isRecreated()).isFalse();
  }

  @Test
  void an_idle_consumer_keeps_its_progress_through_any_number_of_turns() throws SQLException {
    start();
    inbox.advance(0, STRIPES, 10, 20);
    inbox.commit();
    LoadedChain before = load();

    for (int turn = 1; turn <= 7; turn++) {
      rotate();
      assertThat(pg.value(CURRENT)).isEqualTo(Integer.toString(turn % 3));
      assertThat(load()).as("after turn %d", turn).isEqualTo(before);
    }
    assertThat(Integer.parseInt(pg.value("select count(*) from millrace.progress")))
        .isLessThanOrEqualTo(3 * STRIPES);
    inbox.advance(0, STRIPES, 20, 30);
    inbox.commit();
    assertThat(load().stripes().get(0)).isEqualTo(new StripePosition(0, STRIPES, 3, 30, 1));
  }

  @Test
  void a_list_with_the_only_progress_of_a_busy_stripe_is_not_emptied() throws SQLException {
    start();
    rotate();
    rotate();
    LoadedChain before = load();
    Connection busy = pg.connect(PgFixture.OPERATOR);
    busy.setAutoCommit(false);
    PgFixture.execute(
        busy,
        "select pg_advisory_xact_lock(millrace.chain_lock('%s', '%s', 0, 1))"
            .formatted(Inbox.CONSUMER, Inbox.TOPIC_ID));

    rotate();
    assertThat(pg.value(CURRENT)).isEqualTo("2");
    assertThat(load()).isEqualTo(before);
    busy.commit();
    rotate();
    assertThat(pg.value(CURRENT)).isEqualTo("0");
    assertThat(load()).isEqualTo(before);
  }

  @Test
  void a_turn_is_not_due_before_its_time() {
    PgFixture.await(new PgBucketStore(pg.pool(), 100, PgFixture.BUCKET_MS).rotateProgress(claim));

    assertThat(pg.value(CURRENT)).isEqualTo("0");
  }

  @Test
  void nothing_is_lost_when_lists_turn_under_advances() throws Exception {
    start();
    AtomicBoolean isOver = new AtomicBoolean();
    List<CompletableFuture<Long>> advancing = new ArrayList<>();
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      int mine = stripe;
      Inbox own = new Inbox(pg.connect(PgFixture.CONSUMER), false);
      advancing.add(
          CompletableFuture.supplyAsync(
              () -> {
                long at = 10;
                try {
                  while (!isOver.get()) {
                    own.advance(mine, STRIPES, at, at + 3);
                    own.commit();
                    at += 3;
                  }
                  return at;
                } catch (SQLException e) {
                  throw new AssertionError(e);
                }
              }));
    }
    for (int turn = 0; turn < 100; turn++) {
      rotate();
    }
    isOver.set(true);

    for (int stripe = 0; stripe < STRIPES; stripe++) {
      assertThat(advancing.get(stripe)).succeedsWithin(LIMIT);
      StripePosition stored = load().stripes().get(stripe);
      long reached = advancing.get(stripe).get();
      assertThat(reached).isGreaterThan(40);
      assertThat(stored)
          .isEqualTo(new StripePosition(stripe, STRIPES, (reached - 10) / 3 + 1, reached, 1));
    }
  }

  @Test
  void the_window_is_what_was_laid() {
    assertThat(PgFixture.await(store.window()))
        .satisfies(
            window -> {
              assertThat(window.bucketMs()).isEqualTo(PgFixture.BUCKET_MS);
              assertThat(window.newest() - window.floor())
                  .isEqualTo(PgFixture.RETENTION_BUCKETS + PgFixture.BUCKETS_AHEAD);
              assertThat(window.retentionMs())
                  .isEqualTo(PgFixture.RETENTION_BUCKETS * PgFixture.BUCKET_MS);
            });
  }
}
