package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.core.lease.NodeRole;
import io.millrace.core.ring.RingStep;
import io.millrace.port.PublishingStatus;
import io.millrace.port.PublishingStatus.ReplicationSlot;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The publisher changes under conditions under which nothing is lost, and is refused else. */
class PublisherSwitchIT {
  private static final String A = PgFixture.aggregate(0, 0);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String LATE_BOUND =
      "select id from millrace.append('orders', 'order', 'a', 'paid', 'x', resolver => 'features')";

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private Nodes nodes;
  private ShardReaders relay;
  private PgRelayPermit permit;
  private Subscriber debezium;
  private Connection writer;
  private Connection slow;

  @BeforeEach
  void startEverything() throws SQLException {
    database = pg.pool();
    nodes = new Nodes(database);
    relay = new ShardReaders(database, nodes);
    permit = new PgRelayPermit(database);
    debezium = new Subscriber(pg);
    writer = pg.connect(PgFixture.APPLICATION);
    slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
  }

  @AfterEach
  void dropReplicationSlots() {
    debezium.drop();
  }

  private void prepare() {
    assertThat(debezium.act("millrace.prepare_debezium('ann')")).isEqualTo("t");
  }

  private String messageId(long id) {
    return pg.value("select message_id from millrace.outbox where id = " + id);
  }

  @Test
  void the_relay_publishes_what_began_before_and_debezium_what_commits_after() throws SQLException {
    long published = PgFixture.append(writer, A);
    relay.publishAll();
    prepare();
    long open = PgFixture.append(slow, A);
    // A replication slot is made when what was open has ended.
    slow.commit();
    debezium.make();
    long after = PgFixture.append(writer, A);

    assertThat(debezium.useDebezium()).contains("call millrace.use_debezium again");
    assertThat(debezium.useDebezium()).isEqualTo("shard 0 has still to publish id " + open);
    assertThat(PgFixture.await(permit.refusal())).as("the relay goes on").isEmpty();
    relay.publishAll();
    assertThat(debezium.useDebezium()).isNull();

    debezium.readAll();
    assertThat(relay.ids()).contains(published, open);
    assertThat(debezium.messageIds()).containsExactly(messageId(after));
    assertThat(pg.value("select count(*) from millrace.shard where owner is not null"))
        .isEqualTo("0");
    assertThat(nodes.tryClaim(nodes.register(NodeRole.RELAY), 0)).isEmpty();
    assertThat(PgFixture.await(permit.refusal()))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .startsWith("Debezium publishes the outbox since 2")
                    .contains("set relay.enabled to false, or go back by millrace.use_relay"));
    assertThat(debezium.useDebezium()).as("asked again").isNull();
    assertThat(pg.column("select act from millrace.audit order by audit_id"))
        .containsExactly("prepare_debezium", "begin_debezium", "use_debezium");
  }

  @Test
  void a_transaction_that_was_open_when_the_barrier_was_drawn_is_waited_for() throws SQLException {
    prepare();
    debezium.make();
    debezium.useDebezium();
    PgFixture.append(slow, A);

    assertThat(debezium.useDebezium())
        .startsWith("transactions that were open when the replication slot was accepted");
    slow.rollback();
    assertThat(debezium.useDebezium()).isNull();
  }

  @Test
  void a_message_that_the_relay_had_passed_and_not_seen_is_waited_for() throws SQLException {
    prepare();
    long late = PgFixture.append(slow, A);
    PgFixture.append(writer, PgFixture.aggregate(0, 1));
    relay.publishAll();
    slow.commit();
    debezium.make();
    debezium.useDebezium();

    assertThat(debezium.useDebezium()).isEqualTo("shard 0 has still to publish id " + late);
    relay.publishAll();
    assertThat(debezium.useDebezium()).isNull();
  }

  @Test
  void a_replication_slot_that_is_made_anew_on_the_way_begins_anew() throws SQLException {
    prepare();
    debezium.make();
    debezium.useDebezium();
    debezium.drop();
    long between = PgFixture.append(writer, A);
    debezium.make();

    assertThat(debezium.useDebezium()).contains("call millrace.use_debezium again");
    assertThat(debezium.useDebezium()).isEqualTo("shard 0 has still to publish id " + between);
  }

  @Test
  void the_relay_begins_behind_what_debezium_has_confirmed() throws SQLException {
    debezium.become();
    PgFixture.append(writer, A);
    long open = PgFixture.append(slow, PgFixture.aggregate(0, 1));

    assertThat(debezium.useRelay()).contains("leave Debezium running");
    PgFixture.append(writer, A);
    slow.commit();
    assertThat(debezium.useRelay()).as("not confirmed yet").contains("leave Debezium running");
    debezium.readAll();
    long after = PgFixture.append(writer, A);
    assertThat(debezium.useRelay()).isNull();

    assertThat(debezium.messageIds()).hasSize(3);
    ShardReaders next = new ShardReaders(database, nodes);
    next.publishAll();
    assertThat(next.ids())
        .as("what Debezium sent after the point was noted comes again, what came before does not")
        .containsExactlyInAnyOrder(open, open + 1, after);
    assertThat(pg.column("select pubname from pg_publication")).isEmpty();
  }

  @Test
  void a_reader_of_the_replication_slot_keeps_the_relay_from_coming_back_until_it_is_gone()
      throws SQLException {
    debezium.become();
    debezium.useRelay();
    debezium.confirmTheLogsEnd();
    try (Connection reader = debezium.startReading()) {
      assertThat(reader.isClosed()).isFalse();
      assertThat(debezium.useRelay())
          .isEqualTo("somebody reads the replication slot " + debezium.name() + ": stop Debezium");
    }
    await().atMost(LIMIT).until(() -> debezium.useRelay() == null);
  }

  @Test
  void debezium_that_is_started_too_early_stops_the_relay_and_the_switch() throws SQLException {
    prepare();
    debezium.make();
    debezium.useDebezium();
    try (Connection reader = debezium.startReading()) {
      assertThat(reader.isClosed()).isFalse();
      assertThat(debezium.useDebezium()).contains("start Debezium when this returns null");
      assertThat(PgFixture.await(permit.refusal()))
          .hasValueSatisfying(
              reason ->
                  assertThat(reason)
                      .endsWith("stop its reader until millrace.use_debezium returns null"));
    }
    await().atMost(LIMIT).until(() -> debezium.useDebezium() == null);
  }

  @Test
  void the_status_says_who_publishes_and_how_far_replication_slots_are() throws SQLException {
    PgStatusStore store = new PgStatusStore(database);
    PublishingStatus before = PgFixture.await(store.publishing());
    assertThat(before).isEqualTo(new PublishingStatus("relay", null, null, List.of()));

    debezium.become();
    debezium.confirmTheLogsEnd();
    long behind = PgFixture.await(store.publishing()).replicationSlots().get(0).lagBytes();
    PgFixture.append(writer, A);
    PublishingStatus status = PgFixture.await(store.publishing());
    assertThat(status.publisher()).isEqualTo("debezium");
    assertThat(status.replicationSlot()).isEqualTo(debezium.name());
    assertThat(status.problem()).isNull();
    ReplicationSlot slot = status.replicationSlots().get(0);
    assertThat(slot.lagBytes()).isGreaterThan(behind);
    assertThat(slot.retainedBytes()).isGreaterThanOrEqualTo(slot.lagBytes());
    assertThat(slot.isActive()).isFalse();
    assertThat(slot.walStatus()).isEqualTo("reserved");
    assertThat(PgFixture.await(store.shards()).get(0).backlog()).isZero();
    assertThat(PgFixture.await(store.shards()).get(0).lagMs()).isZero();
    debezium.drop();
    assertThat(PgFixture.await(store.publishing()).problem())
        .isEqualTo("there is no replication slot " + debezium.name());
  }

  @Test
  void a_lost_replication_slot_lets_the_relay_back_only_with_repeats() throws SQLException {
    debezium.become();
    long kept = PgFixture.append(writer, A);
    debezium.readAll();
    debezium.drop();

    assertThatThrownBy(debezium::useRelay)
        .hasMessageContaining("what Debezium has published is not known: there is no replication")
        .hasMessageContaining("p_repeat => true");
    assertThat(debezium.act("millrace.use_relay('ann', 'lost it', true)")).isNull();
    ShardReaders next = new ShardReaders(database, nodes);
    next.publishAll();
    assertThat(next.ids()).containsExactly(kept);
  }

  @Test
  void a_switch_that_was_begun_is_undone_by_use_relay() throws SQLException {
    prepare();
    assertThatThrownBy(() -> PgFixture.execute(writer, LATE_BOUND))
        .hasMessageContaining("late_bound_messages_need_the_relay_of_millrace");
    assertThat(debezium.useRelay()).isNull();

    PgFixture.execute(writer, LATE_BOUND);
    assertThat(pg.column("select pubname from pg_publication")).isEmpty();
    assertThat(pg.value("select next_publisher from millrace.publishing")).isNull();
  }

  @Test
  void a_writer_that_does_not_end_keeps_the_switch_from_beginning_and_is_named()
      throws SQLException {
    PgFixture.append(slow, A);

    assertThatThrownBy(this::prepare)
        .hasMessageContaining("transactions on the outbox did not end within 50 ms: call it again")
        .hasMessageContaining("pid ");
    slow.commit();
    prepare();
    assertThat(debezium.act("millrace.prepare_debezium('ann')")).as("twice").isEqualTo("f");
  }

  @Test
  void late_bound_messages_are_refused_while_debezium_publishes_in_new_slots_too()
      throws SQLException {
    debezium.become();
    PgRingStore ring = new PgRingStore(database, 100, 0);
    var claim = nodes.claimMaintenance(ring);
    for (RingStep step :
        List.of(
            new RingStep.Attach(3),
            new RingStep.NoteWaits(3),
            new RingStep.ConfirmAttached(3),
            new RingStep.Prepare(3),
            new RingStep.Turn(3))) {
      assertThat(PgFixture.await(ring.step(claim, step))).as(step.toString()).isEmpty();
    }
    assertThatThrownBy(() -> PgFixture.execute(writer, LATE_BOUND))
        .hasMessageContaining("late_bound_messages_need_the_relay_of_millrace");
    debezium.useRelay();
    debezium.confirmTheLogsEnd();
    assertThat(debezium.useRelay()).isNull();

    PgFixture.execute(writer, LATE_BOUND);
    assertThat(pg.value("select slot from millrace.outbox")).isEqualTo("3");
  }

  @Test
  void a_replication_slot_that_could_lose_messages_is_refused() {
    assertThatThrownBy(debezium::useDebezium)
        .hasMessageContaining("call millrace.prepare_debezium first");
    debezium.make();
    prepare();
    assertThatThrownBy(debezium::useDebezium).hasMessageContaining("made before the publication");
    debezium.drop();
    assertThatThrownBy(debezium::useDebezium).hasMessageContaining("there is no replication slot");
    debezium.make("pgoutput", false);
    assertThatThrownBy(debezium::useDebezium)
        .hasMessageContaining("must have two_phase or failover");
    debezium.drop();
    debezium.make("test_decoding", true);
    assertThatThrownBy(debezium::useDebezium)
        .hasMessageContaining("must be a lasting logical one of pgoutput");
    debezium.drop();
    debezium.make();
    pg.execute("alter publication millrace_outbox set (publish = 'insert, truncate')");
    assertThatThrownBy(debezium::useDebezium)
        .hasMessageContaining("is not as millrace.prepare_debezium has made it");
    assertThatThrownBy(() -> debezium.act("millrace.use_debezium('x', ' ')"))
        .hasMessageContaining("use_debezium needs the name of who asks for it, found none");
  }

  @Test
  void a_replication_slot_that_decodes_prepared_transactions_is_refused_where_there_may_be_some()
      throws SQLException {
    prepare();
    debezium.make();
    String call = "millrace.use_debezium('" + debezium.name() + "', 'ann'%s)";
    String most = pg.value("show max_prepared_transactions");
    boolean hasFailover = Integer.parseInt(pg.value("show server_version_num")) >= 170_000;
    assertThatThrownBy(() -> debezium.act(call.formatted("")))
        .hasMessageContaining("(max_prepared_transactions is " + most + ")")
        .hasMessageContaining(hasFailover ? ": make the replication slot with failover" : ": where")
        .hasMessageContaining("add p_nobody_prepares => true");
    assertThat(debezium.act(call.formatted(", p_nobody_prepares => true")))
        .contains("is accepted: call millrace.use_debezium again");
    assertThat(debezium.act(call.formatted(", p_nobody_prepares => true"))).isNull();
    assertThat(
            pg.value(
                "select detail ->> 'nobody_prepares' from millrace.audit where act = 'use_debezium'"))
        .isEqualTo("true");
    if (hasFailover) {
      debezium.useRelay();
      debezium.confirmTheLogsEnd();
      assertThat(debezium.useRelay()).isNull();
      debezium.drop();
      prepare();
      pg.execute(
          "select pg_create_logical_replication_slot('%s', 'pgoutput', failover => true)"
              .formatted(debezium.name()));
      assertThat(debezium.act(call.formatted(""))).contains("call millrace.use_debezium again");
    }
  }

  @Test
  void what_debezium_cannot_do_is_waited_for() throws SQLException {
    prepare();
    debezium.make();
    debezium.useDebezium();
    pg.execute(
        "insert into millrace.lane (shard, topic, reason) values (1, 'gone', 'it is not there')");
    assertThat(debezium.useDebezium()).startsWith("the topic gone is quarantined");
    pg.execute("delete from millrace.lane");
    pg.execute(
        "insert into millrace.blocked_key (shard, aggregate_type, aggregate_id, topic)"
            + " values (0, 'order', 'a', 'orders')");
    assertThat(debezium.useDebezium()).startsWith("messages are parked");
    pg.execute("delete from millrace.blocked_key");
    assertThat(debezium.useDebezium()).isNull();

    assertThatThrownBy(
            () -> debezium.act("millrace.start_replay('ann', 'again', p_topic => 'orders')"))
        .hasMessageContaining("a replay needs Millrace's relay, and Debezium publishes");
  }

  @Test
  void a_step_in_a_transaction_that_has_written_something_is_refused() throws SQLException {
    Connection operator = pg.connect(PgFixture.OPERATOR);
    operator.setAutoCommit(false);
    PgFixture.execute(operator, "select pg_current_xact_id()");
    assertThatThrownBy(() -> PgFixture.execute(operator, "select millrace.prepare_debezium('ann')"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25001"))
        .hasMessageContaining("call it in one of its own");
    operator.rollback();
  }

  @Test
  void the_first_copies_of_subscriptions_of_postgresql_do_not_stop_the_relay() {
    pg.execute(
        "create publication other for all tables",
        "select pg_create_logical_replication_slot('pg_16401_sync_16390_7400000000000000000',"
            + " 'pgoutput')");
    assertThat(PgFixture.await(permit.refusal())).isEmpty();
  }

  @Test
  void a_replication_slot_that_may_publish_the_outbox_stops_the_relay_unless_it_is_permitted() {
    pg.execute("create publication other for all tables");
    assertThat(PgFixture.await(permit.refusal())).as("nobody can read it").isEmpty();
    debezium.make("pgoutput", false);

    assertThat(PgFixture.await(permit.refusal()))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .startsWith(
                        "the replication slot %s may publish the outbox too, by the publication other"
                            .formatted(debezium.name()))
                    .contains("millrace.permit_replication_slot"));
    String permitted = "millrace.permit_replication_slot('%s', 'ann', 'a replica'%s)";
    assertThat(debezium.act(permitted.formatted(debezium.name(), ""))).isEqualTo("t");
    assertThat(PgFixture.await(permit.refusal())).isEmpty();
    assertThat(debezium.act(permitted.formatted(debezium.name(), ", false"))).isEqualTo("t");
    assertThat(PgFixture.await(permit.refusal())).isPresent();
    pg.execute(
        "drop publication other",
        "create publication other for table millrace.audit, millrace.slot");
    assertThat(PgFixture.await(permit.refusal())).as("tables that publish nothing").isEmpty();
    pg.execute("alter publication other add table millrace.outbox_slot_1");
    assertThat(PgFixture.await(permit.refusal())).as("a part of the outbox").isPresent();
  }
}
