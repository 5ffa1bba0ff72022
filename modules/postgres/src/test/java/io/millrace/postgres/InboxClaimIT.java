package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** Which messages are new. */
class InboxClaimIT {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final long DAY = PgFixture.BUCKET_MS;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Inbox inbox;
  private Inbox other;
  private long now;

  @BeforeEach
  void open() throws SQLException {
    inbox = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    other = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    now = Long.parseLong(pg.value("select (extract(epoch from now()) * 1000)::bigint"));
  }

  private long count() {
    return Long.parseLong(pg.value("select count(*) from millrace.inbox"));
  }

  @Test
  void a_message_is_new_once_and_a_duplicate_from_then_on() throws SQLException {
    Message first = Message.at(now);
    Message second = Message.at(now - DAY);

    assertThat(inbox.claim(first, second)).containsExactly("new", "new");
    inbox.commit();
    assertThat(inbox.claim(second, Message.at(now), first))
        .containsExactly("duplicate", "new", "duplicate");
    inbox.commit();

    assertThat(count()).isEqualTo(3);
  }

  @Test
  void a_message_that_comes_twice_in_one_batch_is_new_the_first_time() throws SQLException {
    Message twice = Message.at(now);

    assertThat(inbox.claim(twice, Message.at(now), twice))
        .containsExactly("new", "new", "duplicate");
  }

  @Test
  void one_id_with_two_times_in_one_batch_is_claimed_at_its_first() throws SQLException {
    Message message = Message.at(now);

    assertThat(inbox.claim(message, new Message(message.id(), now - DAY, null)))
        .containsExactly("new", "duplicate");
    inbox.commit();
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void consumers_do_not_know_of_each_other() throws SQLException {
    Message message = Message.at(now);
    pg.execute(
        "insert into millrace.inbox (bucket, consumer, message_id)"
            + " values (millrace.bucket_of(%d), 'shipping', '%s')".formatted(now, message.id()));

    assertThat(inbox.claim(message)).containsExactly("new");
  }

  @Test
  void a_claim_that_is_rolled_back_leaves_the_message_new() throws SQLException {
    Message message = Message.at(now);
    assertThat(inbox.claim(message)).containsExactly("new");
    inbox.rollback();

    assertThat(inbox.claim(message)).containsExactly("new");
  }

  @Test
  void before_the_floor_and_beyond_the_buckets_made_nothing_is_claimed() throws SQLException {
    assertThat(
            inbox.claim(
                Message.at(now - (PgFixture.RETENTION_BUCKETS + 1) * DAY),
                Message.at(now - PgFixture.RETENTION_BUCKETS * DAY),
                Message.at(now + PgFixture.BUCKETS_AHEAD * DAY),
                Message.at(now + (PgFixture.BUCKETS_AHEAD + 1) * DAY),
                Message.at(Long.MIN_VALUE),
                Message.at(Long.MAX_VALUE)))
        .containsExactly(
            "beyond_dedup_window",
            "new",
            "new",
            "ahead_of_buckets",
            "beyond_dedup_window",
            "ahead_of_buckets");
    inbox.commit();
    assertThat(count()).isEqualTo(2);
  }

  @Test
  void two_ids_on_both_sides_of_a_border_lie_in_two_buckets() throws SQLException {
    long midnight = now / DAY * DAY;
    Message last = Message.at(midnight - 1);
    Message first = Message.at(midnight);

    assertThat(inbox.claim(last, first)).containsExactly("new", "new");
    inbox.commit();
    assertThat(inbox.claim(first, last)).containsExactly("duplicate", "duplicate");
    assertThat(pg.column("select bucket from millrace.inbox order by 1"))
        .containsExactly(Long.toString(midnight / DAY - 1), Long.toString(midnight / DAY));
  }

  @Test
  void while_todays_or_tomorrows_bucket_is_missing_the_claim_waits() throws SQLException {
    for (long time : List.of(now, now + DAY)) {
      pg.execute("delete from millrace.bucket where parent = 'inbox' and bucket = " + time / DAY);

      assertThatThrownBy(() -> inbox.claim(Message.at(now - DAY), Message.at(time)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55000"))
          .hasMessageContaining("bucket " + time / DAY);
      inbox.rollback();
    }
    assertThat(count()).isZero();
  }

  @Test
  void another_isolation_level_is_refused() throws SQLException {
    inbox.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);

    assertThatThrownBy(() -> inbox.claim(Message.at(now)))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25001"));
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
  void of_two_that_race_for_a_message_the_second_waits_and_finds_a_duplicate() throws SQLException {
    Message message = Message.at(now);
    assertThat(inbox.claim(message)).containsExactly("new");

    CompletableFuture<List<String>> second = claimInTheBackground(other, message);
    assertThat(second).isNotDone();
    inbox.commit();

    assertThat(second).succeedsWithin(LIMIT).isEqualTo(List.of("duplicate"));
  }

  @Test
  void of_two_that_race_for_a_message_the_second_gets_it_if_the_first_rolls_back()
      throws SQLException {
    Message message = Message.at(now);
    assertThat(inbox.claim(message)).containsExactly("new");

    CompletableFuture<List<String>> second = claimInTheBackground(other, message);
    assertThat(second).isNotDone();
    inbox.rollback();

    assertThat(second).succeedsWithin(LIMIT).isEqualTo(List.of("new"));
  }

  @Test
  void two_batches_with_the_same_ids_in_opposite_order_do_not_deadlock() throws SQLException {
    Message a = Message.at(now);
    Message b = Message.at(now - DAY);
    Message c = Message.at(now);
    assertThat(inbox.claim(a, b, c)).containsOnly("new");

    CompletableFuture<List<String>> second = claimInTheBackground(other, c, b, a);
    inbox.commit();

    assertThat(second)
        .succeedsWithin(LIMIT)
        .isEqualTo(List.of("duplicate", "duplicate", "duplicate"));
  }

  @Test
  void a_parked_row_is_the_messages_record_as_long_as_it_lives() throws SQLException {
    Message ahead = Message.at(now + 9 * DAY);
    Message beyond = Message.at(now - 9 * DAY);
    assertThat(inbox.claim(ahead, beyond))
        .containsExactly("ahead_of_buckets", "beyond_dedup_window");
    assertThat(inbox.park(ahead, "ahead_of_buckets", true)).isTrue();
    assertThat(inbox.park(beyond, "beyond_dedup_window", false)).isTrue();
    assertThat(inbox.park(beyond, "beyond_dedup_window", false)).as("twice").isFalse();
    inbox.commit();
    Message parkedOnly = Message.at(now);
    inbox.park(parkedOnly, "failed", true);
    inbox.commit();

    assertThat(inbox.claim(ahead, beyond, parkedOnly))
        .containsExactly("duplicate", "duplicate", "duplicate");
    assertThat(count()).isZero();
  }

  @Test
  void a_parked_message_blocks_its_key_for_those_who_ask_for_order() throws SQLException {
    Message poison = Message.at(now).withKey("k1");
    assertThat(inbox.claim(poison)).containsExactly("new");
    inbox.park(poison, "failed", true);
    inbox.commit();
    Inbox ordered = new Inbox(pg.connect(PgFixture.CONSUMER), true);
    Message next = Message.at(now).withKey("k1");

    assertThat(ordered.claim(next, Message.at(now).withKey("k2"), Message.at(now), next))
        .containsExactly("behind_parked", "new", "new", "duplicate");
    ordered.rollback();
    assertThat(inbox.claim(next)).as("without order").containsExactly("new");
  }

  @Test
  void what_an_operator_forgets_is_new_when_it_comes_again_and_its_key_is_free()
      throws SQLException {
    Message poison = Message.at(now).withKey("k1");
    Message kept = Message.at(now).withKey("k2");
    Inbox ordered = new Inbox(pg.connect(PgFixture.CONSUMER), true);
    assertThat(ordered.claim(poison, kept)).containsExactly("new", "new");
    ordered.park(poison, "failed", true);
    ordered.park(kept, "failed", true);
    ordered.commit();
    Message behind = Message.at(now).withKey("k1");
    assertThat(ordered.claim(behind)).containsExactly("behind_parked");
    ordered.park(behind, "behind_parked", true);
    ordered.commit();

    assertThat(
            pg.value(
                "select millrace.forget_parked('ann', 'mended', 'billing', p_record_key => 'k1')"))
        .isEqualTo("2");

    assertThat(ordered.claim(poison, behind, kept)).containsExactly("new", "new", "duplicate");
    assertThat(
            pg.value(
                "select detail ->> 'forgotten' from millrace.audit where act = 'forget_parked'"))
        .isEqualTo("2");
  }

  @Test
  void forgetting_needs_somebody_a_reason_and_a_filter() {
    assertThatThrownBy(
            () ->
                pg.value(
                    "select millrace.forget_parked('ann', ' ', 'billing', p_topic => 'orders')"))
        .hasMessageContaining("needs the name of who asks for it and a reason");
    assertThatThrownBy(() -> pg.value("select millrace.forget_parked('ann', 'mended', 'billing')"))
        .hasMessageContaining("and message ids, a topic, a record key or a time");
  }

  @Test
  void a_message_beyond_the_window_does_not_block_its_key() throws SQLException {
    Message old = Message.at(now - 9 * DAY).withKey("k1");
    inbox.park(old, "beyond_dedup_window", false);
    inbox.commit();
    Inbox ordered = new Inbox(pg.connect(PgFixture.CONSUMER), true);

    assertThat(ordered.claim(Message.at(now).withKey("k1"))).containsExactly("new");
  }

  @Test
  void a_parked_message_of_any_time_is_kept() throws SQLException {
    assertThat(inbox.park(Message.at(Long.MAX_VALUE), "ahead_of_buckets", true)).isTrue();
    assertThat(inbox.park(Message.at(Long.MIN_VALUE), "beyond_dedup_window", false)).isTrue();
    inbox.commit();

    assertThat(
            pg.column(
                "select extract(year from message_time at time zone 'utc')::int"
                    + " from millrace.inbox_parked order by 1"))
        .containsExactly("1", "9999");
  }
}
