package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.port.BucketStatus;
import io.millrace.port.InboxStatus;
import io.millrace.port.ParkedStatus;
import io.millrace.postgres.Inbox.Message;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a status page shows of the inbox. */
class InboxStatusIT {
  private static final int MANY = 10_050;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Inbox inbox;
  private long now;

  @BeforeEach
  void open() throws SQLException {
    inbox = new Inbox(pg.connect(PgFixture.CONSUMER), false);
    now = Long.parseLong(pg.value("select (extract(epoch from now()) * 1000)::bigint"));
  }

  private InboxStatus status() {
    return PgFixture.await(new PgStatusStore(pg.pool()).inbox());
  }

  private BucketStatus today(String parent) {
    return status().buckets().stream()
        .filter(b -> b.parent().equals(parent) && b.bucket() == now / PgFixture.BUCKET_MS)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_role_that_only_applies_can_look_at_the_installation_before_it_starts() {
    assertThat(
            PgFixture.await(new PgStatusStore(pg.poolOf(PgFixture.CONSUMER)).installation())
                .inboxBucketMs())
        .isEqualTo(PgFixture.BUCKET_MS);
  }

  @Test
  void an_empty_inbox_has_its_window_and_its_buckets() {
    InboxStatus status = status();

    assertThat(status.bucketMs()).isEqualTo(PgFixture.BUCKET_MS);
    assertThat(status.floor())
        .isEqualTo((int) (now / PgFixture.BUCKET_MS) - PgFixture.RETENTION_BUCKETS);
    assertThat(status.retentionMs()).isEqualTo(PgFixture.RETENTION_BUCKETS * PgFixture.BUCKET_MS);
    assertThat(status.bucketsAhead()).isEqualTo(PgFixture.BUCKETS_AHEAD);
    assertThat(status.buckets())
        .hasSize(2 * (PgFixture.RETENTION_BUCKETS + 1 + PgFixture.BUCKETS_AHEAD))
        .allSatisfy(
            b -> {
              assertThat(b.state()).isEqualTo("ready");
              assertThat(b.rows()).isZero();
              assertThat(Duration.between(b.from(), b.to())).isEqualTo(Duration.ofDays(1));
              assertThat(b.from().toEpochMilli()).isEqualTo(b.bucket() * PgFixture.BUCKET_MS);
            });
    assertThat(status.parked()).isEmpty();
  }

  @Test
  void ids_are_counted_and_very_many_are_estimated() throws SQLException {
    inbox.claim(Message.at(now), Message.at(now), Message.at(now));
    inbox.commit();
    assertThat(today("inbox").rows()).isEqualTo(3);
    assertThat(today("inbox").isCounted()).isTrue();
    assertThat(today("inbox").bytes()).isPositive();
    assertThat(today("effect").rows()).isZero();

    pg.execute(
        "insert into millrace.inbox (bucket, consumer, message_id) select %d, 'b', gen_random_uuid() from generate_series(1, %d)"
            .formatted(now / PgFixture.BUCKET_MS, MANY));
    assertThat(today("inbox").rows()).isGreaterThan(10_000);
    assertThat(today("inbox").isCounted()).isFalse();
  }

  @Test
  void parked_messages_are_counted_by_consumer_and_reason_up_to_a_bound() throws SQLException {
    inbox.park(Message.at(now), "failed", true);
    inbox.park(Message.at(now), "failed", true);
    inbox.park(Message.at(now), "refused", true);
    inbox.commit();
    pg.execute(
        """
        insert into millrace.inbox_parked
        select 'another', gen_random_uuid(), now(), 'orders', gen_random_uuid(), 0, n, 1, now(), null, null,
          '{}', '{}', 'overdue', true, 'why', 1, now()
        from generate_series(1, %d) n
        """
            .formatted(MANY));

    assertThat(status().parked())
        .extracting(
            ParkedStatus::consumer,
            ParkedStatus::reason,
            ParkedStatus::messages,
            ParkedStatus::isCounted)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("another", "overdue", 10_001L, false),
            org.assertj.core.groups.Tuple.tuple("billing", "failed", 2L, true),
            org.assertj.core.groups.Tuple.tuple("billing", "refused", 1L, true));
  }
}
