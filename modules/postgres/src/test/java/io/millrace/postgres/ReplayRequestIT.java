package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingStep;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator may ask for, and what that does to the ring. */
class ReplayRequestIT {
  private static final int SHARD = 0;
  private static final String A = PgFixture.aggregate(SHARD, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgRingStore ring;
  private Claim maintenance;
  private ShardReaders relay;
  private Replays replays;
  private Nodes nodes;
  private Connection writer;
  private Connection operator;

  @BeforeEach
  void startRelaying() throws SQLException {
    PgDatabase database = pg.pool();
    nodes = new Nodes(database);
    ring = new PgRingStore(database, 100, 0);
    maintenance = nodes.claimMaintenance(ring);
    relay = new ShardReaders(database, nodes);
    replays = new Replays(pg, database);
    writer = pg.connect(PgFixture.APPLICATION);
    operator = pg.connect(PgFixture.OPERATOR);
    PgFixture.execute(operator, "set role millrace_operator");
  }

  private Optional<String> step(RingStep step) {
    return PgFixture.await(ring.step(maintenance, step));
  }

  /** One message in slot 0, which is published by then and not current. */
  private long publishAndTurn() throws SQLException {
    long id = PgFixture.append(writer, A);
    relay.publishAll();
    for (RingStep step :
        new RingStep[] {
          new RingStep.Prepare(1),
          new RingStep.Turn(1),
          new RingStep.Close(0),
          new RingStep.MarkPublished(0)
        }) {
      assertThat(step(step)).as(step.toString()).isEmpty();
    }
    return id;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "' ', 'why', p_topic => 't' | needs the name of who asks for it",
        "'ann', ' ', p_topic => 't' | needs a reason",
        "'ann', 'why' | needs a time, a topic or an aggregate",
        "'ann', 'why', '2026-01-02Z', '2026-01-01Z' | from must be before to",
        "'ann', 'why', now() + interval '1 d' | from must not lie ahead",
        "'ann', 'why', p_aggregate_id => '1' | an aggregate id needs its aggregate type",
        "'ann', 'why', p_aggregate_type => '' | aggregate type must have",
        "'ann', 'why', p_topic => 'a b' | topic must be 1 to 249 of",
        "'ann', 'why', p_topic => 't', p_target_topic => '..' | target topic must be",
        "'ann', 'why', p_topic => 't', p_rate => 0 | rate must be 1 to 100000",
        "'ann', 'why', p_topic => 't', p_rate => null | rate must be 1 to 100000",
        "'ann', 'why', p_to_at => '2001-01-01Z' | the oldest message is of",
        "'ann', 'why', p_colour => 'red' | does not exist"
      })
  void what_makes_no_sense_is_refused_by_name(String arguments, String message)
      throws SQLException {
    PgFixture.append(writer, A);
    relay.publishAll();
    assertThatThrownBy(
            () -> PgFixture.value(operator, "select millrace.start_replay(" + arguments + ")"))
        .hasMessageContaining(message);
    assertThat(pg.value("select count(*) from millrace.replay")).isEqualTo("0");
    assertThat(pg.value("select count(*) from millrace.audit")).isEqualTo("0");
  }

  @Test
  void nothing_published_is_nothing_to_replay() throws SQLException {
    String call = "select millrace.start_replay('ann', 'why', p_topic => 'orders')";
    assertThatThrownBy(() -> PgFixture.value(operator, call))
        .hasMessageContaining("nothing that has been published is kept");
    PgFixture.append(writer, A);
    assertThatThrownBy(() -> PgFixture.value(operator, call))
        .hasMessageContaining("nothing that has been published is kept");
    relay.publishAll();
    assertThat(PgFixture.value(operator, call)).isNotNull();
  }

  @Test
  void whoever_asks_for_more_than_is_kept_is_told_where_it_begins() throws SQLException {
    long id = PgFixture.append(writer, A);
    relay.publishAll();
    String at = pg.value("select created_at from millrace.outbox where id = " + id);
    try (Statement statement = operator.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select millrace.start_replay('ann', 'why', now() - interval '1 d')")) {
      assertThat(rows.next()).isTrue();
      SQLWarning notice = statement.getWarnings();
      assertThat(notice.getMessage())
          .isEqualTo(
              "the oldest message that is kept is of %s: replay %s begins there"
                  .formatted(at, rows.getString(1)));
    }
  }

  @Test
  void an_operator_starts_and_cancels_and_both_are_audited_and_nobody_else_may()
      throws SQLException {
    PgFixture.append(writer, A);
    relay.publishAll();
    String start = "select millrace.start_replay('ann', 'why', p_topic => 'orders')";
    String id = PgFixture.value(operator, start);
    assertThat(PgFixture.value(operator, "select millrace.cancel_replay(" + id + ", 'bob')"))
        .isEqualTo("t");
    assertThat(PgFixture.value(operator, "select millrace.cancel_replay(" + id + ", 'bob')"))
        .isEqualTo("f");
    assertThat(
            pg.column(
                "select actor || ' ' || act || ' ' || (detail ->> 'replay_id') from millrace.audit order by audit_id"))
        .containsExactly("ann start_replay " + id, "bob cancel_replay " + id);
    assertThat(PgFixture.value(operator, "select state from millrace.replay_status"))
        .isEqualTo("cancelled");
    assertThatThrownBy(() -> PgFixture.value(operator, "select millrace.cancel_replay(99, 'bob')"))
        .hasMessageContaining("there is no replay 99");
    assertThatThrownBy(
            () -> PgFixture.value(operator, "select millrace.cancel_replay(" + id + ", '')"))
        .hasMessageContaining("needs the name of who does it");
    Connection node = pg.connect(PgFixture.NODE);
    assertThatThrownBy(() -> PgFixture.value(node, start))
        .hasMessageContaining("permission denied");
  }

  @Test
  void not_more_than_ten_run_at_once() throws SQLException {
    PgFixture.append(writer, A);
    relay.publishAll();
    for (int i = 0; i < 10; i++) {
      replays.start("p_topic => 'orders'");
    }
    assertThatThrownBy(() -> replays.start("p_topic => 'orders'"))
        .hasMessageContaining("10 replays are running already");
  }

  @Test
  void a_slot_that_a_replay_has_still_to_read_is_emptied_only_when_it_has() throws SQLException {
    long id = publishAndTurn();
    long replay = replays.start("p_topic => 'orders'");

    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("replay %d has still to read it, from id %d of shard 0".formatted(replay, id));
    assertThat(replays.ids(SHARD, replay)).containsExactly(id);
    replays.finish(
        new Claim(nodes.row(SHARD).token(), nodes.row(SHARD).epoch()), replays.task(SHARD));
    assertThat(step(new RingStep.Truncate(0))).isEmpty();
  }

  @Test
  void a_cancelled_replay_holds_nothing() throws SQLException {
    publishAndTurn();
    long replay = replays.start("p_topic => 'orders'");
    pg.execute("select millrace.cancel_replay(" + replay + ", 'ann')");

    assertThat(step(new RingStep.Truncate(0))).isEmpty();
  }

  @Test
  void a_slot_is_not_emptied_while_a_replay_is_being_started() throws SQLException {
    long id = publishAndTurn();
    operator.setAutoCommit(false);
    long replay =
        Long.parseLong(
            PgFixture.value(
                operator, "select millrace.start_replay('ann', 'why', p_topic => 'orders')"));

    assertThat(step(new RingStep.Truncate(0))).hasValue("a replay is being started");
    operator.commit();
    assertThat(step(new RingStep.Truncate(0))).isPresent();
    assertThat(replays.ids(SHARD, replay)).containsExactly(id);
  }

  @Test
  void a_ring_that_is_short_of_slots_ends_replays() throws SQLException {
    publishAndTurn();
    long replay = replays.start("p_topic => 'orders'");
    PgFixture.await(ring.drainLanes(maintenance, 1_000, false));
    assertThat(replays.state(replay)).isEqualTo("running");

    PgFixture.await(ring.drainLanes(maintenance, 1_000, true));

    assertThat(replays.state(replay)).isEqualTo("failed: the ring needs its slots");
    assertThat(pg.value("select act || ' ' || reason from millrace.audit where actor = 'millrace'"))
        .isEqualTo("replay_failed the ring needs its slots");
    assertThat(step(new RingStep.Truncate(0))).isEmpty();
  }
}
