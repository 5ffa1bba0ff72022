package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** While Debezium publishes, a slot is emptied when the replication slot has confirmed it. */
class ReplicationCleaningIT {
  private static final String A = PgFixture.aggregate(0, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgRingStore ring;
  private PgPublishedCheck check;
  private Claim claim;
  private Subscriber debezium;
  private Connection writer;
  private Connection slow;

  @BeforeEach
  void switchToDebezium() throws SQLException {
    PgDatabase database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    check = new PgPublishedCheck(database, 100);
    claim = new Nodes(database).claimMaintenance(ring);
    debezium = new Subscriber(pg);
    debezium.become();
    writer = pg.connect(PgFixture.APPLICATION);
    slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
  }

  @AfterEach
  void dropTheReplicationSlot() {
    debezium.drop();
  }

  private Optional<String> step(RingStep step) {
    return PgFixture.await(ring.step(claim, step));
  }

  private void done(RingStep... steps) {
    for (RingStep step : steps) {
      assertThat(step(step)).as(step.toString()).isEmpty();
    }
  }

  private Optional<String> unpublished(int slot) {
    return PgFixture.await(check.unpublished(claim, slot));
  }

  private void closeSlot0() {
    done(new RingStep.Prepare(1), new RingStep.Turn(1), new RingStep.Close(0));
  }

  private String noted() {
    return pg.value("select confirm_lsn from millrace.slot where slot = 0");
  }

  @Test
  void a_slot_is_emptied_when_it_is_confirmed_and_never_before() throws SQLException {
    PgFixture.append(writer, A);
    closeSlot0();

    assertThat(unpublished(0))
        .hasValueSatisfying(
            reason -> assertThat(reason).startsWith("replication: confirmed up to"));
    done(new RingStep.MarkPublished(0));
    assertThat(step(new RingStep.Truncate(0)))
        .hasValueSatisfying(
            reason -> assertThat(reason).startsWith("replication: confirmed up to"));
    assertThat(pg.column("select slot from millrace.outbox")).containsExactly("0");

    debezium.readAll();
    done(new RingStep.Truncate(0));
    assertThat(pg.column("select slot from millrace.outbox")).isEmpty();
    assertThat(pg.column("select confirm_lsn from millrace.slot")).containsOnlyNulls();
    debezium.confirmTheLogsEnd();
    assertThat(debezium.messageIds()).hasSize(1);
    assertThat(debezium.kinds()).as("TRUNCATE is not announced").doesNotContain("T");
  }

  @Test
  void the_point_that_must_be_confirmed_is_noted_once_however_long_the_log_grows()
      throws SQLException {
    PgFixture.append(writer, A);
    closeSlot0();
    assertThat(unpublished(0)).isPresent();
    String first = noted();
    PgFixture.append(writer, A);

    assertThat(unpublished(0)).isPresent();
    assertThat(noted()).isEqualTo(first);
    debezium.read(first);
    assertThat(unpublished(0)).isEmpty();
  }

  @Test
  void an_open_transaction_that_has_written_keeps_its_slot_and_so_does_a_prepared_one()
      throws SQLException {
    PgFixture.append(slow, A);
    closeSlot0();
    done(new RingStep.MarkPublished(0));
    debezium.confirmTheLogsEnd();
    assertThat(step(new RingStep.Truncate(0)))
        .hasValueSatisfying(
            reason -> assertThat(reason).startsWith("an open transaction has written to the slot"));

    String name = "kept_" + System.nanoTime();
    PgFixture.execute(slow, "prepare transaction '" + name + "'");
    debezium.confirmTheLogsEnd();
    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("an open transaction has written to the slot: a prepared transaction");
    PgFixture.execute(writer, "commit prepared '" + name + "'");
    assertThat(step(new RingStep.Truncate(0))).isPresent();
    debezium.confirmTheLogsEnd();
    done(new RingStep.Truncate(0));
    assertThat(debezium.messageIds()).hasSize(1);
  }

  /** What a writer does that has chosen the slot and is held up before it writes. */
  @Test
  void a_message_that_is_written_after_the_point_was_noted_keeps_its_slot() throws SQLException {
    Connection straggler = pg.connect(PgFixture.OPERATOR);
    straggler.setAutoCommit(false);
    PgFixture.value(straggler, "select pg_current_xact_id()");
    PgFixture.append(writer, A);
    closeSlot0();
    assertThat(unpublished(0)).isPresent();
    String first = noted();

    PgFixture.execute(
        straggler,
        "insert into millrace.outbox (slot, aggregate_type, aggregate_id, topic, event_type)"
            + " values (0, 'order', 'late', 'orders', 'paid')");
    straggler.commit();
    debezium.read(first);
    done(new RingStep.MarkPublished(0));
    assertThat(step(new RingStep.Truncate(0))).isPresent();
    assertThat(noted()).isNotEqualTo(first);
    assertThat(pg.column("select aggregate_id from millrace.outbox")).contains("late");

    debezium.readAll();
    done(new RingStep.Truncate(0));
    assertThat(debezium.messageIds()).hasSize(2);
  }

  @Test
  void emptying_goes_on_while_the_ring_turns_and_a_surplus_slot_leaves_it() throws SQLException {
    for (int i = 0; i < 4; i++) {
      PgFixture.append(writer, A);
      maintain();
    }
    for (int i = 0; i < 4; i++) {
      debezium.confirmTheLogsEnd();
      maintain();
    }
    assertThat(debezium.messageIds()).hasSize(4).doesNotHaveDuplicates();
    String free = pg.value("select min(slot) from millrace.slot where state = 'free'");
    assertThat(free).isNotNull();
    done(new RingStep.Detach(Integer.parseInt(free)), new RingStep.Drop(Integer.parseInt(free)));
  }

  private void maintain() {
    for (RingStep step :
        RingPlan.of(PgFixture.await(ring.view()), Policies.keepingNothing(4, 1, 1)).steps()) {
      if (!(step instanceof RingStep.CheckPublished asked)) {
        step(step);
      } else if (unpublished(asked.slot()).isEmpty()) {
        done(new RingStep.MarkPublished(asked.slot()));
      }
    }
  }

  @Test
  void without_its_replication_slot_nothing_is_emptied_even_when_one_of_its_name_is_made_anew()
      throws SQLException {
    PgFixture.append(writer, A);
    closeSlot0();
    debezium.drop();
    debezium.make("pgoutput", false);
    debezium.confirmTheLogsEnd();

    assertThat(unpublished(0))
        .hasValueSatisfying(reason -> assertThat(reason).contains("has been made anew"));
    assertThat(PgFixture.await(ring.checkPublishing(claim)))
        .hasValueSatisfying(problem -> assertThat(problem).contains("has been made anew"));
    debezium.drop();
    debezium.make();
    debezium.confirmTheLogsEnd();
    done(new RingStep.MarkPublished(0));
    assertThat(step(new RingStep.Truncate(0)))
        .as("what was seen once is remembered")
        .hasValueSatisfying(reason -> assertThat(reason).contains("has been made anew"));
    assertThat(pg.column("select slot from millrace.outbox")).containsExactly("0");
  }

  @Test
  void a_publication_that_was_changed_is_not_believed_any_more() throws SQLException {
    PgFixture.append(writer, A);
    closeSlot0();
    pg.execute("alter publication millrace_outbox set (publish = 'update')");
    assertThat(PgFixture.await(ring.checkPublishing(claim)))
        .hasValueSatisfying(
            problem -> assertThat(problem).startsWith("the publication millrace_outbox is not as"));
    pg.execute("alter publication millrace_outbox set (publish = 'insert')");
    debezium.confirmTheLogsEnd();
    assertThat(unpublished(0))
        .as("what was seen once is remembered")
        .hasValueSatisfying(reason -> assertThat(reason).contains("the publication"));
  }

  @Test
  void a_look_at_the_publishing_finds_nothing_wrong_while_all_is_well() {
    assertThat(PgFixture.await(ring.checkPublishing(claim))).isEmpty();
    debezium.drop();
    assertThat(PgFixture.await(ring.checkPublishing(claim)))
        .hasValue("there is no replication slot " + debezium.name());
    assertThat(List.of(pg.value("select broken from millrace.publishing")))
        .containsExactly("there is no replication slot " + debezium.name());
  }
}
