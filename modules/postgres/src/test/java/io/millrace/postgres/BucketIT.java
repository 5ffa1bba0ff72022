package io.millrace.postgres;

import static io.millrace.postgres.Buckets.DAY;
import static io.millrace.postgres.Buckets.LAID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.inbox.BucketParent;
import io.millrace.core.inbox.BucketPlan;
import io.millrace.core.inbox.BucketPolicy;
import io.millrace.core.inbox.BucketState;
import io.millrace.core.inbox.BucketStep;
import io.millrace.core.lease.Claim;
import io.millrace.postgres.Inbox.Message;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buckets are made ahead, while consumers go on. */
class BucketIT {
  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Buckets buckets;
  private Inbox inbox;

  @BeforeEach
  void claimMaintenance() throws SQLException {
    buckets = new Buckets(pg);
    inbox = new Inbox(pg.connect(PgFixture.CONSUMER), false);
  }

  @Test
  void what_was_laid_is_what_is_planned() {
    assertThat(BucketPlan.of(buckets.view(), LAID))
        .isEqualTo(new BucketPlan(List.of(), List.of(), List.of()));
    assertThat(buckets.view().floor()).isEqualTo(buckets.oldest);
    assertThat(buckets.view().buckets())
        .hasSize(2 * (PgFixture.RETENTION_BUCKETS + 1 + PgFixture.BUCKETS_AHEAD));
  }

  @Test
  void buckets_are_made_further_ahead_when_told_so_and_take_messages() throws SQLException {
    buckets.round(new BucketPolicy(LAID.retentionMs(), 4));

    assertThat(buckets.steps(new BucketPolicy(LAID.retentionMs(), 4))).isEmpty();
    assertThat(inbox.claim(Message.at(buckets.now + 4 * DAY), Message.at(buckets.now + 5 * DAY)))
        .containsExactly("new", "ahead_of_buckets");
    assertThat(
            pg.value(
                "select state from millrace.effect_begin('billing', '%s', %d, 'pay')"
                    .formatted(UUID.randomUUID(), buckets.now + 4 * DAY)))
        .isEqualTo("started");
  }

  @Test
  void a_new_bucket_is_made_like_the_others() {
    buckets.round(new BucketPolicy(LAID.retentionMs(), 3));

    for (String parent : List.of("inbox", "effect")) {
      String shape =
          "select concat_ws(' ', c.reloptions, t.reloptions, (select string_agg(concat_ws(' ',"
              + " a.attname, a.atttypid, a.attnotnull, pg_get_expr(d.adbin, d.adrelid)), ', '"
              + " order by a.attnum) from pg_attribute a left join pg_attrdef d"
              + " on d.adrelid = a.attrelid and d.adnum = a.attnum"
              + " where a.attrelid = c.oid and a.attnum > 0), (select count(*) from pg_inherits i"
              + " join pg_index x on x.indexrelid = i.inhrelid where x.indrelid = c.oid))"
              + " from pg_class c join pg_class t on t.oid = c.reltoastrelid"
              + " where c.oid = 'millrace.%s_%d'::regclass";
      assertThat(pg.value(shape.formatted(parent, buckets.today + 3)))
          .isEqualTo(pg.value(shape.formatted(parent, buckets.today)));
    }
  }

  @Test
  void a_gap_is_filled_after_an_absence() throws SQLException {
    for (int gone : List.of(buckets.today - 1, buckets.today)) {
      pg.execute(
          "drop table millrace.inbox_" + gone,
          "drop table millrace.effect_" + gone,
          "delete from millrace.bucket where bucket = " + gone);
    }
    assertThat(BucketPlan.of(buckets.view(), LAID).missing())
        .containsExactly(buckets.today - 1, buckets.today);

    buckets.round(LAID);

    assertThat(BucketPlan.of(buckets.view(), LAID).missing()).isEmpty();
    assertThat(inbox.claim(Message.at(buckets.now), Message.at(buckets.now - DAY)))
        .containsExactly("new", "new");
  }

  @Test
  void a_bucket_below_the_floor_is_never_made() {
    assertThat(buckets.step(new BucketStep.Attach(BucketParent.INBOX, buckets.oldest - 1)))
        .isPresent();
    assertThat(buckets.table(BucketParent.INBOX, buckets.oldest - 1)).isNull();
    buckets.raiseTheFloor();
    pg.execute(
        "drop table millrace.inbox_" + buckets.oldest,
        "delete from millrace.bucket where bucket = " + buckets.oldest);

    assertThat(buckets.step(new BucketStep.Attach(BucketParent.INBOX, buckets.oldest))).isPresent();
  }

  @Test
  void the_floor_cannot_be_raised_while_a_bucket_is_attached() throws SQLException {
    buckets.step(new BucketStep.Settings(DAY, PgFixture.BUCKETS_AHEAD));
    Connection attaching = pg.connect(PgFixture.OPERATOR);
    attaching.setAutoCommit(false);
    assertThat(
            PgFixture.value(
                attaching,
                "select millrace.bucket_attach('%s', 100, 'inbox', %d)"
                    .formatted(buckets.claim.token(), buckets.today + 3)))
        .isNull();
    Connection raising = pg.connect(PgFixture.OPERATOR);
    PgFixture.execute(raising, "set lock_timeout = '100ms'");

    assertThatThrownBy(
            () -> PgFixture.execute(raising, "update millrace.inbox_window set floor = floor + 1"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
    attaching.rollback();
  }

  @Test
  void what_was_attached_before_a_crash_is_announced_after_it() throws SQLException {
    BucketPolicy policy = new BucketPolicy(LAID.retentionMs(), 3);
    buckets.step(new BucketStep.Attach(BucketParent.EFFECT, buckets.today + 3));
    buckets.step(new BucketStep.Attach(BucketParent.INBOX, buckets.today + 3));

    assertThat(buckets.stateOf(BucketParent.INBOX, buckets.today + 3))
        .isEqualTo(BucketState.ATTACHED);
    assertThat(inbox.claim(Message.at(buckets.now + 3 * DAY))).containsExactly("ahead_of_buckets");
    inbox.rollback();
    assertThat(buckets.step(new BucketStep.Announce(BucketParent.INBOX, buckets.today + 3)))
        .as("effects first")
        .isPresent();
    buckets.round(policy);

    assertThat(buckets.stateOf(BucketParent.INBOX, buckets.today + 3)).isEqualTo(BucketState.READY);
    assertThat(inbox.claim(Message.at(buckets.now + 3 * DAY))).containsExactly("new");
  }

  @Test
  void consumers_go_on_while_a_bucket_is_attached() throws SQLException {
    assertThat(inbox.claim(Message.at(buckets.now))).containsExactly("new");
    Connection attaching = pg.connect(PgFixture.OPERATOR);
    attaching.setAutoCommit(false);
    PgFixture.value(
        attaching,
        "select millrace.bucket_attach('%s', 100, 'inbox', %d)"
            .formatted(buckets.claim.token(), buckets.today + 3));

    PgFixture.execute(inbox.connection(), "set lock_timeout = '500ms'");
    assertThat(inbox.claim(Message.at(buckets.now))).containsExactly("new");
    inbox.commit();
    assertThat(inbox.claim(Message.at(buckets.now))).containsExactly("new");
    attaching.commit();
    inbox.commit();
  }

  @Test
  void who_no_longer_owns_maintenance_does_nothing() {
    Claim stale = new Claim(UUID.randomUUID(), buckets.claim.epoch());

    for (BucketStep step :
        List.of(
            new BucketStep.Settings(DAY, 2),
            new BucketStep.RaiseFloor(),
            new BucketStep.Attach(BucketParent.INBOX, buckets.today + 3),
            new BucketStep.Announce(BucketParent.INBOX, buckets.today + 3),
            new BucketStep.NoteWaits(BucketParent.INBOX, buckets.oldest),
            new BucketStep.Detach(BucketParent.INBOX, buckets.oldest),
            new BucketStep.Drop(BucketParent.INBOX, buckets.oldest))) {
      assertThatThrownBy(() -> PgFixture.await(buckets.store.step(stale, step)))
          .as(step.toString())
          .hasMessageContaining("belongs to another node");
    }
  }
}
