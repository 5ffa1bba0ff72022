package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeCount;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.ring.RingStep;
import io.millrace.port.Rebased;
import io.millrace.port.ReceiptOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A database whose transaction ids are from another world: they are moved far ahead of this
 * server's, as a dump restored into a younger server has them.
 */
class RebaseIT {
  private static final String LATE = PgFixture.aggregate(0, 0);
  private static final int LOCK_WAIT_MS = 200;

  /** Every stored transaction id and snapshot, moved by the same distance. */
  private static final String[] OTHER_WORLD = {
    "create function pg_temp.moved(x text) returns text language sql as"
        + " $$ select (x::bigint + 1000000000)::text $$",
    "create function pg_temp.moved(s pg_snapshot) returns pg_snapshot language sql as"
        + " $$ select (pg_temp.moved(pg_snapshot_xmin(s)::text) || ':' ||"
        + " pg_temp.moved(pg_snapshot_xmax(s)::text) || ':' || coalesce((select"
        + " string_agg(pg_temp.moved(x::text), ',' order by x) from pg_snapshot_xip(s) x),"
        + " ''))::pg_snapshot $$",
    "update millrace.outbox set xid = pg_temp.moved(xid::text)::xid8",
    "update millrace.receipt set xid = pg_temp.moved(xid::text)::xid8, seen = pg_temp.moved(seen),"
        + " sweep_target = pg_temp.moved(sweep_target)",
    "update millrace.slot set closed_xid = pg_temp.moved(closed_xid::text)::xid8"
  };

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgOrigin origin;
  private Nodes nodes;
  private ShardReaders relay;
  private Connection writer;

  @BeforeEach
  void startRelaying() {
    database = pg.pool();
    origin = new PgOrigin(pg.poolOf(PgFixture.OPERATOR));
    nodes = new Nodes(database);
    relay = new ShardReaders(database, nodes);
    writer = pg.connect(PgFixture.APPLICATION);
  }

  private void moveToAnotherWorld() {
    try (Connection operator = pg.connect(PgFixture.OPERATOR)) {
      for (String sql : OTHER_WORLD) {
        PgFixture.execute(operator, sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Rebased rebase() {
    return rebaseAfterLookingAt(nodes.view().nodes());
  }

  private Rebased rebaseAfterLookingAt(List<NodeCount> dead) {
    return PgFixture.await(origin.rebase("tester", "restored", dead, LOCK_WAIT_MS));
  }

  private void append(int count) throws SQLException {
    for (int i = 0; i < count; i++) {
      PgFixture.append(writer, "a" + i % 7);
    }
  }

  /** What identifies a message whatever its id, in id order. */
  private List<String> messagesWhere(String condition) {
    return pg.column(
        "select o.shard || ' ' || o.message_id || ' ' || o.aggregate_id || ' ' || o.created_at"
            + " from millrace.outbox o where "
            + condition
            + " order by o.id");
  }

  private static List<String> published(ShardReaders by) {
    List<String> ids = new ArrayList<>();
    IntStream.range(0, PgFixture.SHARDS)
        .forEach(
            shard ->
                by.reader(shard).messages().stream()
                    .map(OutboxMessage::messageId)
                    .forEach(id -> ids.add(id.toString())));
    return ids;
  }

  @Test
  void what_no_receipt_covers_is_appended_anew_in_order_and_nothing_else() throws SQLException {
    append(20);
    relay.publishAll();
    Connection slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    long late = PgFixture.append(slow, LATE);
    append(20);
    relay.publishAll();
    slow.commit();
    long last = PgFixture.append(writer, "a1");
    append(30);
    moveToAnotherWorld();
    List<String> waiting = messagesWhere("o.id = " + late + " or o.id >= " + last);
    long highest = Long.parseLong(pg.value("select max(id) from millrace.outbox"));

    Rebased done = rebase();

    assertThat(done).isEqualTo(new Rebased(32, 40, 0, 1, highest));
    assertThat(messagesWhere("true")).isEqualTo(waiting);
    assertThat(pg.value("select min(id) > " + highest + " from millrace.outbox")).isEqualTo("t");
    assertThat(PgFixture.await(origin.origin()).traces()).isEmpty();
    ShardReaders next = new ShardReaders(database, nodes);
    next.publishAll();
    append(5);
    next.publishAll();
    assertThat(published(next)).doesNotHaveDuplicates().hasSize(37);
    assertThat(next.ids()).hasSize(37);
  }

  @Test
  void a_topic_with_a_lane_is_judged_by_the_lane() throws SQLException {
    append(10);
    PgFixture.execute(writer, "select millrace.append('slow', 'order', 'a1', 'paid', 'x'::bytea)");
    String before =
        "insert into millrace.receipt (shard, lane, epoch, counter, seen, head, seq_before, message_count)"
            + " select s.shard, 'slow', 1, 1000, pg_current_snapshot(), 0, 0, 0 from millrace.shard s";
    pg.execute(
        before,
        "insert into millrace.lane (shard, topic, reason) select s.shard, 'slow', 'missing' from millrace.shard s");
    relay.publishAll();
    moveToAnotherWorld();

    assertThat(rebase()).isEqualTo(new Rebased(1, 10, PgFixture.SHARDS, 1, 11));
    assertThat(pg.column("select topic from millrace.outbox")).containsExactly("slow");
    assertThat(pg.value("select count(*) from millrace.lane")).isEqualTo("0");
  }

  /** The sequence was not restored: its id and its transaction id look as if published long ago. */
  @Test
  void a_message_appended_since_the_restore_is_kept_even_if_the_old_cursor_covers_it()
      throws SQLException {
    append(10);
    relay.publishAll();
    moveToAnotherWorld();
    pg.execute("select setval('millrace.outbox_id', 1, false)");
    PgFixture.append(writer, "a3");
    List<String> young = messagesWhere("o.xid::text::bigint < 1000000000");

    assertThat(rebase().appended()).isEqualTo(1);

    assertThat(messagesWhere("true")).isEqualTo(young);
    assertThat(pg.column("select id from millrace.outbox")).containsExactly("11");
  }

  @Test
  void parked_messages_stay_and_new_ids_are_above_theirs() throws SQLException {
    append(3);
    relay.publishAll();
    pg.execute(
        "insert into millrace.parked (message_id, id, shard, aggregate_type, aggregate_id, topic, event_type,"
            + " content_type, created_at, state, reason) select o.message_id, 500, o.shard, o.aggregate_type,"
            + " o.aggregate_id, o.topic, o.event_type, o.content_type, o.created_at, 'dead', 'too large'"
            + " from millrace.outbox o where o.id = 2");
    append(1);
    moveToAnotherWorld();

    assertThat(rebase().head()).isEqualTo(500);

    assertThat(pg.column("select id from millrace.parked")).containsExactly("500");
    assertThat(pg.column("select id from millrace.outbox")).containsExactly("501");
  }

  @Test
  void a_replay_that_runs_has_lost_what_it_would_read_and_fails() throws SQLException {
    append(5);
    relay.publishAll();
    Replays replays = new Replays(pg, database);
    long replay = replays.start("p_topic => 'orders'");
    moveToAnotherWorld();

    rebase();

    assertThat(replays.state(replay))
        .isEqualTo("failed: the database was rebased: what was published before is not kept");
  }

  @Test
  void the_ring_turns_on_afterwards_and_slots_are_emptied() throws SQLException {
    PgRingStore ring = new PgRingStore(database, 100, 0);
    Claim before = nodes.claimMaintenance(ring);
    append(5);
    for (RingStep step :
        List.of(new RingStep.Prepare(1), new RingStep.Turn(1), new RingStep.Close(0))) {
      assertThat(PgFixture.await(ring.step(before, step))).isEmpty();
    }
    append(5);
    moveToAnotherWorld();
    rebase();

    assertThat(pg.column("select s.slot || ' ' || s.state from millrace.slot s order by s.slot"))
        .containsExactly("0 free", "1 hot", "2 free");
    assertThat(pg.value("select count(closed_xid) from millrace.slot")).isEqualTo("0");
    assertThatThrownBy(() -> PgFixture.await(ring.step(before, new RingStep.Prepare(2))))
        .hasMessageContaining("belongs to another node");
    Claim after = nodes.claimMaintenance(ring);
    new ShardReaders(database, nodes).publishAll();
    for (RingStep step :
        List.of(
            new RingStep.Prepare(2),
            new RingStep.Turn(2),
            new RingStep.Close(1),
            new RingStep.MarkPublished(1),
            new RingStep.Truncate(1))) {
      assertThat(PgFixture.await(ring.step(after, step))).as(step.toString()).isEmpty();
    }
    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("0");
  }

  @Test
  void a_slot_that_was_taken_out_of_the_ring_does_not_come_back_into_it() throws SQLException {
    pg.execute(
        "alter table millrace.outbox detach partition millrace.outbox_slot_2",
        "update millrace.slot set state = 'detached' where slot = 2");
    append(5);
    moveToAnotherWorld();

    rebase();

    assertThat(pg.column("select slot || ' ' || state from millrace.slot order by slot"))
        .containsExactly("0 hot", "1 free", "2 detached");
  }

  @Test
  void a_claim_from_before_is_fenced() throws SQLException {
    append(1);
    Claim old = nodes.claim(3);
    var receipts = new PgReceiptStore(database);
    var life = nodes.incarnation(3);
    var cursor = relay.reader(3).cursor();
    moveToAnotherWorld();
    rebase();

    assertThat(PgFixture.await(receipts.record(Nodes.receipt(3, old, life, 9, cursor, 1))))
        .isEqualTo(ReceiptOutcome.FENCED);
    assertThat(nodes.claim(3).epoch()).isGreaterThan(old.epoch() + 1);
  }

  @Test
  void a_node_that_has_beaten_or_come_since_is_alive() {
    moveToAnotherWorld();
    List<NodeCount> seen = nodes.view().nodes();
    pg.execute("select millrace.heartbeat(node) from millrace.node");
    assertThatThrownBy(() -> rebaseAfterLookingAt(seen))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is alive: stop every node first");
    assertThatThrownBy(() -> rebaseAfterLookingAt(List.of()))
        .hasMessageContaining("is alive: stop every node first");
    assertThat(rebase().nodes()).isEqualTo(1);
  }

  @Test
  void an_open_transaction_that_has_appended_stops_it_and_nothing_is_changed() throws SQLException {
    append(3);
    moveToAnotherWorld();
    Connection slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    PgFixture.append(slow, LATE);
    List<String> before = messagesWhere("true");

    assertThatThrownBy(this::rebase).hasMessageContaining("lock timeout");

    assertThat(messagesWhere("true")).isEqualTo(before);
    assertThat(pg.value("select count(*) from millrace.node")).isEqualTo("1");
    slow.rollback();
    assertThat(rebase().appended()).isEqualTo(3);
  }

  @Test
  void there_is_nothing_to_rebase_on_the_server_that_wrote_it_all() throws SQLException {
    append(3);
    assertThatThrownBy(this::rebase).hasMessageContaining("there is nothing to rebase");
  }

  @Test
  void a_node_may_do_none_of_it() {
    moveToAnotherWorld();
    PgOrigin asNode = new PgOrigin(database);
    assertThat(PgFixture.await(asNode.origin()).traces()).isNotEmpty();
    assertThatThrownBy(
            () -> PgFixture.await(asNode.rebase("x", null, nodes.view().nodes(), LOCK_WAIT_MS)))
        .hasMessageContaining("permission denied for function rebase");
    assertThatThrownBy(() -> PgFixture.await(asNode.confirm("x", null)))
        .hasMessageContaining("permission denied for function confirm_server");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "update millrace.receipt set seen = '5:99999999:' where shard = 2 | the cursor of shard 2 has seen transactions below 99999999",
        "update millrace.receipt set sweep_target = '5:99999999:', sweep_position = 0, sweep_end = 5 where shard = 1 | the cursor of shard 1 has seen",
        "update millrace.receipt set xid = '99999999' where shard = 1 | a receipt was written in transaction 99999999",
        "update millrace.slot set closed_xid = '99999999' where slot = 2 | slot 2 was closed at transaction 99999999",
        "update millrace.outbox set xid = '99999999' where id = 3 | message 3 of shard",
        "select setval('millrace.outbox_id', 2) | the sequence of message ids stands at 2, below id 3",
        "with l as (insert into millrace.lane (shard, topic, reason) values (0, 'slow', 'missing')) insert into millrace.receipt (shard, lane, epoch, counter, seen, head, seq_before, message_count) values (0, 'slow', 9, 9, '5:99999999:', 0, 0, 0) | the cursor of shard 0, lane slow has seen"
      })
  void everything_that_cannot_be_from_this_server_is_found(String change, String found)
      throws SQLException {
    append(3);
    assertThat(PgFixture.await(origin.origin()).traces()).isEmpty();
    pg.execute(change);

    assertThat(PgFixture.await(origin.origin()).traces())
        .hasSize(1)
        .first()
        .asString()
        .startsWith(found);
  }

  @Test
  void a_confirmation_is_remembered_and_looks_at_every_message_first() throws SQLException {
    append(3);
    long actual = PgFixture.await(origin.origin()).actual();
    assertThat(PgFixture.await(origin.confirm("tester", null))).isFalse();
    pg.execute("update millrace.server set system_identifier = 7");
    assertThat(PgFixture.await(origin.origin()).known()).isEqualTo(7);

    assertThat(PgFixture.await(origin.confirm("tester", "upgraded"))).isTrue();

    assertThat(PgFixture.await(origin.origin()).known()).isEqualTo(actual);
    assertThat(
            pg.column(
                "select actor || ' ' || act || ' ' || reason || ' ' || (detail ->> 'known') from millrace.audit"))
        .containsExactly("tester confirm_server upgraded 7");
    // More than a start looks at.
    for (int i = 0; i < 30; i++) {
      PgFixture.append(writer, "a1");
    }
    pg.execute("update millrace.outbox set xid = '99999999' where id = 2");
    assertThatThrownBy(() -> PgFixture.await(origin.confirm("tester", null)))
        .hasMessageContaining("message 2 was appended in transaction 99999999")
        .hasMessageContaining("run millrace rebase");
  }
}
