package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import io.millrace.core.ring.SlotState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One more slot, while writers go on. */
class RingGrowthIT {
  private static final int NEW = PgFixture.SLOTS;
  private static final String A = PgFixture.aggregate(0, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgRingStore ring;
  private Claim claim;
  private Connection writer;

  @BeforeEach
  void claimMaintenance() throws SQLException {
    PgDatabase database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    claim = new Nodes(database).claimMaintenance(ring);
    writer = pg.connect(PgFixture.APPLICATION);
    writer.setAutoCommit(false);
  }

  private Optional<String> step(RingStep step) {
    return PgFixture.await(ring.step(claim, step));
  }

  private SlotState stateOfTheNewSlot() {
    return PgFixture.await(ring.view()).slot(NEW).orElseThrow().state();
  }

  @Test
  void the_plan_attaches_a_slot_that_then_takes_messages() throws SQLException {
    RingPolicy policy = Policies.keepingNothing(8, 3, Long.MAX_VALUE);
    for (int round = 0; round < 3; round++) {
      RingPlan.of(PgFixture.await(ring.view()), policy)
          .steps()
          .forEach(step -> assertThat(step(step)).as(step.toString()).isEmpty());
    }
    assertThat(stateOfTheNewSlot()).isEqualTo(SlotState.FREE);

    assertThat(step(new RingStep.Prepare(NEW))).isEmpty();
    assertThat(step(new RingStep.Turn(NEW))).isEmpty();
    PgFixture.append(writer, A);
    writer.commit();

    assertThat(pg.column("select slot from millrace.outbox")).containsExactly("3");
  }

  @Test
  void a_new_slot_is_made_like_the_others() {
    step(new RingStep.Attach(NEW));

    String columns =
        "select string_agg(concat_ws(' ', a.attname, a.atttypid, a.attnotnull, a.attgenerated,"
            + " pg_get_expr(d.adbin, d.adrelid)), ', ' order by a.attnum) from pg_attribute a"
            + " left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum"
            + " where a.attnum > 0 and a.attrelid = 'millrace.outbox_slot_%d'::regclass";
    String others =
        "select concat_ws(' ', c.reloptions, (select count(*) from pg_constraint k"
            + " where k.conrelid = c.oid and k.contype = 'c'), (select count(*) from pg_index x"
            + " join pg_inherits i on i.inhrelid = x.indexrelid where x.indrelid = c.oid))"
            + " from pg_class c where c.oid = 'millrace.outbox_slot_%d'::regclass";
    assertThat(pg.value(columns.formatted(NEW))).isEqualTo(pg.value(columns.formatted(0)));
    assertThat(pg.value(others.formatted(NEW))).isEqualTo(pg.value(others.formatted(0)));
  }

  /** Such a transaction may go on with a statement that was planned without the new slot. */
  @Test
  void a_slot_is_not_free_before_those_who_do_not_know_it_have_ended() throws SQLException {
    try (PreparedStatement insert =
        writer.prepareStatement(
            "insert into millrace.outbox (aggregate_type, aggregate_id, topic, event_type)"
                + " select 'order', ?, 'orders', 'paid' from generate_series(1, 3)")) {
      insert.setString(1, A);
      assertThat(insert.executeUpdate()).isEqualTo(3);
      assertThat(step(new RingStep.Attach(NEW))).isEmpty();
      assertThat(step(new RingStep.ConfirmAttached(NEW))).as("waits not noted yet").isPresent();
      assertThat(step(new RingStep.NoteWaits(NEW))).isEmpty();

      assertThat(step(new RingStep.ConfirmAttached(NEW))).isPresent();
      assertThat(step(new RingStep.Prepare(NEW))).isPresent();
      assertThat(insert.executeUpdate()).isEqualTo(3);
      assertThat(step(new RingStep.ConfirmAttached(NEW))).isPresent();
    }
    writer.commit();

    assertThat(step(new RingStep.ConfirmAttached(NEW))).isEmpty();
    assertThat(stateOfTheNewSlot()).isEqualTo(SlotState.FREE);
  }

  @Test
  void the_next_transaction_of_the_same_session_is_not_waited_for() throws SQLException {
    PgFixture.append(writer, A);
    step(new RingStep.Attach(NEW));
    step(new RingStep.NoteWaits(NEW));
    writer.commit();
    PgFixture.append(writer, A);

    assertThat(step(new RingStep.ConfirmAttached(NEW))).isEmpty();
    writer.commit();
  }

  @Test
  void a_prepared_transaction_is_not_waited_for() throws SQLException {
    PgFixture.append(writer, A);
    String name = "unwaited_" + System.nanoTime();
    PgFixture.execute(writer, "prepare transaction '" + name + "'");
    step(new RingStep.Attach(NEW));
    step(new RingStep.NoteWaits(NEW));

    assertThat(step(new RingStep.ConfirmAttached(NEW))).isEmpty();
    pg.execute("rollback prepared '" + name + "'");
  }

  @Test
  void a_writer_does_not_wait_while_a_slot_is_attached() throws SQLException {
    PgFixture.execute(writer, "set lock_timeout = '200ms'");
    PgFixture.append(writer, A);
    writer.commit();
    Connection node = pg.connect(PgFixture.NODE);
    node.setAutoCommit(false);
    PgFixture.value(node, "select millrace.ring_attach('%s', 100, 3)".formatted(claim.token()));

    PgFixture.append(writer, A);
    writer.commit();
    assertThat(PgFixture.append(writer, A)).isPositive();
    node.commit();
    writer.commit();

    assertThat(stateOfTheNewSlot()).isEqualTo(SlotState.ATTACHING);
  }

  @Test
  void a_step_that_cannot_have_its_lock_in_time_fails_and_leaves_nothing() throws SQLException {
    Connection operator = pg.connect(PgFixture.OPERATOR);
    operator.setAutoCommit(false);
    PgFixture.execute(operator, "lock table millrace.outbox in share update exclusive mode");

    assertThatThrownBy(() -> step(new RingStep.Attach(NEW)))
        .isInstanceOfSatisfying(
            Failure.class, f -> assertThat(f.kind()).isEqualTo(FailureKind.TRANSIENT));
    operator.rollback();

    assertThat(pg.value("select to_regclass('millrace.outbox_slot_3')")).isNull();
    assertThat(step(new RingStep.Attach(NEW))).isEmpty();
    assertThat(step(new RingStep.Attach(NEW))).as("attached already").isPresent();
  }
}
