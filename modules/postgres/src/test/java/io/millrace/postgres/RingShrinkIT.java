package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import io.millrace.core.ring.Slot;
import io.millrace.core.ring.SlotState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One slot less, and everything that keeps it. */
class RingShrinkIT {
  private static final RingPolicy SHRINKING = Policies.shrinking(2, 8, Long.MAX_VALUE);
  private static final int SURPLUS = PgFixture.SLOTS - 1;
  private static final int ADVISORY_LOCK = 4_711;
  private static final String A = PgFixture.aggregate(0, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgRingStore ring;
  private Claim claim;
  private Connection writer;
  private Connection slow;
  private ShardReaders relay;

  @BeforeEach
  void claimMaintenance() throws SQLException {
    PgDatabase database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    Nodes nodes = new Nodes(database);
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

  private List<Integer> slots() {
    return PgFixture.await(ring.view()).slots().stream().map(Slot::slot).toList();
  }

  private void followPlan() {
    RingPlan.of(PgFixture.await(ring.view()), SHRINKING).steps().forEach(this::done);
  }

  private void requireRefused(int slot, String reason) {
    assertThat(step(new RingStep.Detach(slot)))
        .hasValueSatisfying(found -> assertThat(found).startsWith(reason));
    assertThat(PgFixture.await(ring.view()).slot(slot).orElseThrow().state())
        .isEqualTo(SlotState.FREE);
  }

  @Test
  void the_plan_takes_a_surplus_slot_out_and_drops_it() throws SQLException {
    followPlan();
    assertThat(PgFixture.await(ring.view()).slot(SURPLUS).orElseThrow().state())
        .isEqualTo(SlotState.DETACHED);
    PgFixture.append(writer, A);
    relay.publishAll();
    followPlan();
    PgFixture.append(writer, A);
    followPlan();

    assertThat(slots()).containsExactly(0, 1);
    assertThat(pg.value("select to_regclass('millrace.outbox_slot_2')")).isNull();
    relay.publishAll();
    assertThat(relay.ids()).hasSize(2);
  }

  @Test
  void a_number_that_was_dropped_can_be_attached_again() throws SQLException {
    done(new RingStep.Detach(SURPLUS), new RingStep.Drop(SURPLUS), new RingStep.Attach(SURPLUS));
    done(new RingStep.NoteWaits(SURPLUS), new RingStep.ConfirmAttached(SURPLUS));
    done(new RingStep.Prepare(SURPLUS), new RingStep.Turn(SURPLUS));
    PgFixture.append(writer, A);

    assertThat(pg.column("select slot from millrace.outbox")).containsExactly("2");
  }

  @Test
  void a_slot_that_was_detached_by_an_owner_that_died_is_dropped_by_the_next() {
    done(new RingStep.Detach(SURPLUS));
    PgDatabase database = pg.pool();
    PgRingStore next = new PgRingStore(database, 100, 0);
    PgFixture.await(ring.release(claim));
    Claim won = new Nodes(database).claimMaintenance(next);

    for (RingStep planned : RingPlan.of(PgFixture.await(next.view()), SHRINKING).steps()) {
      assertThat(PgFixture.await(next.step(won, planned))).as(planned.toString()).isEmpty();
    }

    assertThat(slots()).containsExactly(0, 1);
  }

  /** It has chosen the slot and holds no lock on its table while its payload is being computed. */
  @Test
  void a_statement_that_has_chosen_the_slot_but_not_written_yet_keeps_it() throws Exception {
    Connection gate = pg.connect(PgFixture.OPERATOR);
    PgFixture.execute(gate, "select pg_advisory_lock(%d)".formatted(ADVISORY_LOCK));
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<?> straggler = thread.submit(this::writeBehindTheGate);
    Awaitility.await("the straggler has chosen")
        .until(
            () ->
                "1"
                    .equals(
                        pg.value(
                            "select count(*) from pg_locks where locktype = 'advisory' and not granted")));
    done(
        new RingStep.Prepare(1),
        new RingStep.Turn(1),
        new RingStep.Close(0),
        new RingStep.MarkPublished(0),
        new RingStep.Truncate(0));
    relay.publishAll();

    requireRefused(0, "transactions on the outbox: shard 0 has not seen the end of every one that");

    PgFixture.execute(gate, "select pg_advisory_unlock(%d)".formatted(ADVISORY_LOCK));
    straggler.get();
    thread.shutdown();
    relay.publishAll();
    assertThat(relay.ids()).hasSize(1);
    requireRefused(0, "a message was committed to it late");
  }

  private Void writeBehindTheGate() throws SQLException {
    PgFixture.execute(
        slow,
        "insert into millrace.outbox (aggregate_type, aggregate_id, topic, event_type, payload)"
            + " values ('order', '%s', 'orders', 'paid', convert_to(pg_advisory_xact_lock(%d)::text, 'UTF8'))"
                .formatted(A, ADVISORY_LOCK));
    slow.commit();
    return null;
  }

  @Test
  void a_transaction_on_the_outbox_keeps_it_and_is_named_and_nobody_waits_longer_than_allowed()
      throws SQLException {
    PgFixture.append(slow, A);
    // Ten times what an attempt may wait.
    PgFixture.execute(writer, "set lock_timeout = '1s'");
    for (int attempt = 0; attempt < 5; attempt++) {
      var attempted = ring.step(claim, new RingStep.Detach(SURPLUS));
      PgFixture.append(writer, A);
      assertThat(PgFixture.await(attempted))
          .hasValueSatisfying(
              reason ->
                  assertThat(reason)
                      .startsWith("transactions on the outbox did not end in time: pid "));
    }
    slow.commit();
    done(new RingStep.Detach(SURPLUS));
  }

  @Test
  void a_prepared_transaction_keeps_it() throws SQLException {
    PgFixture.append(slow, A);
    String name = "keeps_" + System.nanoTime();
    PgFixture.execute(slow, "prepare transaction '" + name + "'");

    requireRefused(SURPLUS, "a prepared transaction has used the outbox");
    pg.execute("rollback prepared '" + name + "'");
    done(new RingStep.Detach(SURPLUS));
  }

  @Test
  void the_current_slot_and_one_that_is_in_use_are_never_taken_out() throws SQLException {
    pg.execute("update millrace.slot set state = 'free' where slot = 0");
    assertThat(step(new RingStep.Detach(0))).hasValue("the slot is not free");
    pg.execute("update millrace.slot set state = 'hot' where slot = 0");
    assertThat(step(new RingStep.Drop(1))).hasValue("the slot is not detached");
    done(new RingStep.Prepare(1));
    assertThat(step(new RingStep.Detach(1))).hasValue("the slot is not free");
  }

  @Test
  void somebody_who_reads_the_detached_table_delays_the_drop() throws SQLException {
    done(new RingStep.Detach(SURPLUS));
    Connection analyst = pg.connect(PgFixture.OPERATOR);
    analyst.setAutoCommit(false);
    PgFixture.value(analyst, "select count(*) from millrace.outbox_slot_2");

    assertThat(step(new RingStep.Drop(SURPLUS)))
        .hasValueSatisfying(
            reason -> assertThat(reason).startsWith("somebody reads its table: pid "));
    analyst.commit();
    done(new RingStep.Drop(SURPLUS));
  }

  @Test
  void a_message_in_a_detached_table_is_never_dropped() {
    done(new RingStep.Detach(SURPLUS));
    pg.execute(
        "insert into millrace.outbox_slot_2 (slot, aggregate_type, aggregate_id, topic, event_type)"
            + " values (2, 'order', 'a', 'orders', 'paid')");

    assertThatThrownBy(() -> step(new RingStep.Drop(SURPLUS)))
        .hasRootCauseMessage(
            "ERROR: millrace.ring_drop: the detached slot 2 holds messages: attach it again,"
                + " nothing reads them (XX001)");
    assertThat(pg.value("select count(*) from millrace.outbox_slot_2")).isEqualTo("1");
  }
}
