package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import io.millrace.core.ring.RingView;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The turn of the ring, and everything that keeps a slot from being emptied. */
class PgRingStoreIT {
  /** Turns whenever there is a message, keeps nothing, and has one free slot ready. */
  private static final RingPolicy EAGER = Policies.keepingNothing(8, 1, 1);

  private static final String A = PgFixture.aggregate(0, 0);
  private static final String B = PgFixture.aggregate(0, 1);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgRingStore ring;
  private Nodes nodes;
  private Claim claim;
  private Connection writer;
  private Connection slow;
  private ShardReaders relay;

  @BeforeEach
  void claimMaintenance() throws SQLException {
    database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    nodes = new Nodes(database);
    claim = nodes.claimMaintenance(ring);
    writer = pg.connect(PgFixture.APPLICATION);
    slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    relay = new ShardReaders(database, nodes);
  }

  private Optional<String> step(RingStep step) {
    return PgFixture.await(ring.step(claim, step));
  }

  private void done(RingStep... steps) {
    for (RingStep step : steps) {
      assertThat(step(step)).as(step.toString()).isEmpty();
    }
  }

  /** Slot 0 gets its successor and counts as published; whether it is, TRUNCATE must find out. */
  private void turnAwayFromSlot0() {
    done(
        new RingStep.Prepare(1),
        new RingStep.Turn(1),
        new RingStep.Close(0),
        new RingStep.MarkPublished(0));
  }

  private List<String> states() {
    return pg.column("select s.slot || ' ' || s.state from millrace.slot s order by s.slot");
  }

  @Test
  void the_plan_carries_a_slot_through_every_state_back_to_free() throws SQLException {
    PgFixture.append(writer, A);
    RingView view = PgFixture.await(ring.view());
    assertThat(view.current()).isZero();
    assertThat(view.hotIsEmpty()).isFalse();
    List<RingStep> turn = RingPlan.of(view, EAGER).steps();
    assertThat(turn).containsExactly(new RingStep.Prepare(1), new RingStep.Turn(1));
    turn.forEach(this::done);
    assertThat(states()).containsExactly("0 draining", "1 hot", "2 free");
    assertThat(PgFixture.await(ring.view()).current()).isEqualTo(1);
    PgFixture.append(writer, B);
    assertThat(pg.column("select slot from millrace.outbox order by id")).containsExactly("0", "1");

    done(new RingStep.Close(0));
    assertThat(RingPlan.of(PgFixture.await(ring.view()), EAGER).steps())
        .contains(new RingStep.CheckPublished(0));
    PgPublishedCheck check = new PgPublishedCheck(database, 100);
    assertThat(PgFixture.await(check.unpublished(claim, 0)))
        .hasValue("shard 0 is published up to id 0, the slot reaches id 1");
    relay.publishAll();
    assertThat(PgFixture.await(check.unpublished(claim, 0))).isEmpty();
    done(new RingStep.MarkPublished(0));
    assertThat(RingPlan.of(PgFixture.await(ring.view()), EAGER).steps())
        .contains(new RingStep.Truncate(0));
    done(new RingStep.Truncate(0));

    assertThat(states()).containsExactly("0 free", "1 hot", "2 free");
    assertThat(pg.column("select slot from millrace.outbox")).containsExactly("1");
    assertThat(pg.value("select pg_relation_size('millrace.outbox_slot_0')")).isEqualTo("0");
  }

  @Test
  void an_unpublished_message_keeps_its_slot() throws SQLException {
    PgFixture.append(writer, A);
    turnAwayFromSlot0();

    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("shard 0 is published up to id 0, the slot reaches id 1");
    relay.publishAll();
    done(new RingStep.Truncate(0));
  }

  @Test
  void an_open_transaction_that_has_written_keeps_its_slot() throws SQLException {
    PgFixture.append(slow, A);
    turnAwayFromSlot0();
    relay.publishAll();

    assertThat(step(new RingStep.Truncate(0)))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .startsWith("an open transaction has written to the slot: pid ")
                    .contains("since 2"));
    slow.commit();
    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("shard 0 has not yet seen id 1, which was committed late");
    relay.publishAll();
    done(new RingStep.Truncate(0));
  }

  @Test
  void a_prepared_transaction_keeps_its_slot() throws SQLException {
    PgFixture.append(slow, A);
    String name = "kept_" + System.nanoTime();
    PgFixture.execute(slow, "prepare transaction '" + name + "'");
    turnAwayFromSlot0();
    relay.publishAll();
    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("an open transaction has written to the slot: a prepared transaction");

    PgFixture.execute(writer, "commit prepared '" + name + "'");

    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("shard 0 has not yet seen id 1, which was committed late");
    relay.publishAll();
    done(new RingStep.Truncate(0));
  }

  @Test
  void a_late_row_below_the_head_keeps_its_slot_until_a_receipt_has_seen_it() throws SQLException {
    PgFixture.append(slow, A);
    PgFixture.append(writer, B);
    relay.publishAll();
    slow.commit();
    turnAwayFromSlot0();

    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("shard 0 has not yet seen id 1, which was committed late");
    relay.publishAll();
    done(new RingStep.Truncate(0));
  }

  @Test
  void a_shard_without_a_receipt_keeps_every_slot() throws SQLException {
    turnAwayFromSlot0();
    pg.execute("delete from millrace.receipt where shard = 2");

    assertThat(step(new RingStep.Truncate(0))).hasValue("shard 2 has no receipt");
  }

  @Test
  void a_reader_of_the_slot_delays_its_emptying_and_is_not_disturbed() throws SQLException {
    PgFixture.append(writer, A);
    relay.publishAll();
    turnAwayFromSlot0();
    Connection analyst = pg.connect(PgFixture.OPERATOR);
    analyst.setAutoCommit(false);
    assertThat(PgFixture.value(analyst, "select count(*) from millrace.outbox")).isEqualTo("1");

    assertThat(step(new RingStep.Truncate(0)))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .startsWith("an open transaction has read from the slot: pid ")
                    .contains("(PostgreSQL JDBC Driver)"));
    assertThat(PgFixture.value(analyst, "select count(*) from millrace.outbox")).isEqualTo("1");
    PgFixture.append(writer, A);
    analyst.commit();
    done(new RingStep.Truncate(0));
  }

  @Test
  void the_current_slot_is_never_emptied_whatever_its_state_says() {
    assertThat(step(new RingStep.Truncate(0))).hasValue("the slot is not published");
    turnAwayFromSlot0();
    pg.execute(
        "update millrace.slot set state = 'free' where slot = 1",
        "update millrace.slot set state = 'published', closed_xid = '3' where slot = 1");

    assertThat(step(new RingStep.Truncate(1))).hasValue("the slot is not published");
    pg.execute("update millrace.slot set state = 'free' where slot = 1");
    assertThat(step(new RingStep.Prepare(1))).isPresent();
    pg.execute("update millrace.slot set state = 'draining' where slot = 1");
    assertThat(step(new RingStep.MarkPublished(1))).isPresent();
    pg.execute("update millrace.slot set closed_xid = null where slot = 1");
    assertThat(step(new RingStep.Close(1))).isPresent();
  }

  @Test
  void steps_out_of_turn_change_nothing() {
    List<String> before = states();
    for (RingStep step :
        List.of(
            new RingStep.Turn(1),
            new RingStep.Close(0),
            new RingStep.MarkPublished(1),
            new RingStep.Truncate(2),
            new RingStep.Prepare(0),
            new RingStep.Prepare(9),
            new RingStep.Reconcile())) {
      assertThat(step(step)).as(step.toString()).isPresent();
    }
    assertThat(states()).isEqualTo(before);
  }

  @Test
  void emptying_refuses_to_look_with_old_eyes() throws SQLException {
    turnAwayFromSlot0();
    Connection node = pg.connect(PgFixture.NODE);
    node.setAutoCommit(false);
    node.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);

    assertThatThrownBy(
            () ->
                PgFixture.value(
                    node, "select millrace.ring_truncate('%s', 100, 0)".formatted(claim.token())))
        .hasMessageContaining("READ COMMITTED, found repeatable read");
  }

  @Test
  void after_a_crash_between_setval_and_commit_the_states_follow_the_sequence()
      throws SQLException {
    done(new RingStep.Prepare(1));
    PgFixture.append(writer, A);
    pg.execute("select setval('millrace.ring_slot', 1)");
    PgFixture.append(writer, B);
    assertThat(states()).containsExactly("0 hot", "1 next", "2 free");

    RingPlan plan = RingPlan.of(PgFixture.await(ring.view()), EAGER);
    assertThat(plan.steps()).containsExactly(new RingStep.Reconcile());
    plan.steps().forEach(this::done);

    assertThat(states()).containsExactly("0 draining", "1 hot", "2 free");
    assertThat(step(new RingStep.Truncate(0))).isPresent();
    relay.publishAll();
    done(new RingStep.Close(0), new RingStep.MarkPublished(0), new RingStep.Truncate(0));
    assertThat(pg.column("select slot from millrace.outbox")).containsExactly("1");
  }

  @Test
  void the_closing_xid_is_above_that_of_every_message_of_the_slot() throws SQLException {
    done(new RingStep.Prepare(1));
    PgFixture.append(slow, A);
    done(new RingStep.Turn(1), new RingStep.Close(0));
    PgFixture.append(slow, A);
    slow.commit();

    assertThat(
            pg.value(
                "select bool_and(o.xid < s.closed_xid) from millrace.outbox o"
                    + " join millrace.slot s on s.slot = o.slot where o.slot = 0"))
        .isEqualTo("t");
    assertThat(pg.value("select closed_xid from millrace.slot where slot = 1")).isNull();
  }

  @Test
  void why_a_slot_is_not_cleaned_is_kept_for_people() {
    PgFixture.await(ring.postpone(claim, 2, "an analyst is looking at it"));

    assertThat(pg.value("select postponed from millrace.slot where slot = 2"))
        .isEqualTo("an analyst is looking at it");
  }
}
