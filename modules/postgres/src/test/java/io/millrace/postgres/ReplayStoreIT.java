package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeRole;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.ReplayPage;
import io.millrace.port.ReplayTask;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a replay reads, and who may say how far it is. */
class ReplayStoreIT {
  private static final int SHARD = 1;
  private static final String A = PgFixture.aggregate(SHARD, 0);
  private static final String B = PgFixture.aggregate(SHARD, 1);
  private static final String ELSEWHERE = PgFixture.aggregate(2, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Nodes nodes;
  private ShardReaders relay;
  private Replays replays;
  private Connection writer;

  @BeforeEach
  void startRelaying() {
    PgDatabase database = pg.pool();
    nodes = new Nodes(database);
    relay = new ShardReaders(database, nodes);
    replays = new Replays(pg, database);
    writer = pg.connect(PgFixture.APPLICATION);
  }

  private List<Long> append(String aggregate, int count) throws SQLException {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(PgFixture.append(writer, aggregate));
    }
    return ids;
  }

  private Claim claim() {
    return tokenOf(SHARD);
  }

  private Claim tokenOf(int shard) {
    return new Claim(nodes.row(shard).token(), nodes.row(shard).epoch());
  }

  @Test
  void what_was_published_when_it_was_asked_for_comes_in_id_order_and_nothing_newer()
      throws SQLException {
    List<Long> ids = append(A, 3);
    ids.addAll(append(B, 3));
    relay.publishAll();
    append(A, 2);
    long replay = replays.start("p_topic => 'orders'");
    relay.publishAll();
    append(B, 2);

    assertThat(replays.ids(SHARD, replay)).isEqualTo(ids);
  }

  @Test
  void a_message_that_was_committed_late_is_left_out_until_it_has_been_published()
      throws SQLException {
    Connection slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    long late = PgFixture.append(slow, A);
    List<Long> ids = append(B, 2);
    relay.publishAll();
    slow.commit();

    assertThat(replays.ids(SHARD, replays.start("p_topic => 'orders'"))).isEqualTo(ids);
    pg.execute("select millrace.cancel_replay(1, 'ann')");
    relay.publishAll();
    assertThat(replays.ids(SHARD, replays.start("p_topic => 'orders'")))
        .containsExactly(late, ids.get(0), ids.get(1));
  }

  @Test
  void the_filters_narrow_it_by_time_topic_and_aggregate() throws SQLException {
    List<Long> ofA = append(A, 2);
    pg.execute(
        "select millrace.append('refunds', 'order', '%s', 'paid', null)".formatted(A),
        "select millrace.append('orders', 'invoice', '%s', 'paid', null)".formatted(A));
    append(ELSEWHERE, 1);
    List<Long> ofB = append(B, 2);
    relay.publishAll();
    String second = pg.value("select created_at from millrace.outbox where id = " + ofA.get(1));
    String last = pg.value("select created_at from millrace.outbox where id = " + ofB.get(1));

    long byTime =
        replays.start(
            "p_from_at => '%s', p_to_at => '%s', p_topic => 'orders', p_aggregate_type => 'order'"
                .formatted(second, last));
    assertThat(replays.ids(SHARD, byTime)).containsExactly(ofA.get(1), ofB.get(0));
    end(byTime);
    long byTopic = replays.start("p_topic => 'refunds'");
    assertThat(replays.ids(SHARD, byTopic)).containsExactly(ofA.get(1) + 1);
    end(byTopic);
    long byAggregate = replays.start("p_aggregate_type => 'order', p_aggregate_id => '" + B + "'");
    assertThat(replays.ids(SHARD, byAggregate)).isEqualTo(ofB);
    assertThat(
            pg.column("select shard from millrace.replay_shard where replay_id = " + byAggregate))
        .containsExactly("1");
  }

  private void end(long replay) {
    assertThat(pg.value("select millrace.cancel_replay(%d, 'ann', 'enough')".formatted(replay)))
        .isEqualTo("t");
  }

  @Test
  void what_is_parked_or_was_discarded_is_left_out_and_what_was_redriven_is_not()
      throws SQLException {
    List<Long> ids = append(A, 4);
    relay.publishAll();
    pg.execute(
        "insert into millrace.parked (message_id, id, shard, aggregate_type, aggregate_id, topic, event_type,"
            + " content_type, created_at, state, reason) select message_id, id, shard, aggregate_type,"
            + " aggregate_id, topic, event_type, content_type, created_at, 'dead', 'too large'"
            + " from millrace.outbox where id in (%d, %d, %d)"
                .formatted(ids.get(0), ids.get(1), ids.get(2)),
        "select millrace.discard('ann', 'wrong', p_message_ids => array(select message_id from"
            + " millrace.parked where id = "
            + ids.get(0)
            + "))");
    Claim claim = claim();
    pg.execute(
        "select millrace.discard_wanted(%d, '%s', %d, 10)"
            .formatted(SHARD, claim.token(), claim.epoch()),
        "delete from millrace.parked where id = " + ids.get(1));
    assertThat(pg.column("select id from millrace.parked")).containsExactly("" + ids.get(2));

    assertThat(replays.ids(SHARD, replays.start("p_topic => 'orders'")))
        .containsExactly(ids.get(1), ids.get(3));
  }

  @Test
  void what_a_lane_has_not_published_is_left_out_and_what_it_had_before_is_not()
      throws SQLException {
    List<Long> before = append(A, 2);
    relay.publishAll();
    pg.execute(
        "insert into millrace.lane (shard, topic, reason) values (1, 'orders', 'missing')",
        "insert into millrace.receipt (shard, lane, epoch, counter, seen, head, seq_before, message_count)"
            + " select shard, 'orders', epoch, counter, seen, head, seq_before, 0 from millrace.receipt"
            + " where shard = 1 order by epoch desc, counter desc limit 1");
    append(A, 2);
    pg.execute("select millrace.append('refunds', 'order', '%s', 'paid', null)".formatted(A));
    relay.publishAll();
    long refund = before.get(1) + 3;

    assertThat(replays.ids(SHARD, replays.start("p_aggregate_type => 'order'")))
        .containsExactly(before.get(0), before.get(1), refund);
  }

  @Test
  void a_page_ends_at_its_bound_of_rows_bytes_or_ids_and_the_next_one_goes_on()
      throws SQLException {
    List<Long> ids = append(A, 7);
    append(ELSEWHERE, 5);
    ids.addAll(append(A, 3));
    relay.publishAll();
    long replay = replays.start("p_topic => 'orders'");

    for (ReadBounds bounds :
        List.of(
            new ReadBounds(2, 1_000_000, 1_000),
            new ReadBounds(100, 1, 1_000),
            new ReadBounds(100, 1_000_000, 2))) {
      ReplayPage first = replays.page(SHARD, replay, replays.task(SHARD).position(), bounds);
      assertThat(first.messages()).hasSizeLessThan(3);
      assertThat(first.task().isLast()).isFalse();
      assertThat(replays.ids(SHARD, replay, bounds)).as(bounds.toString()).isEqualTo(ids);
    }
  }

  @Test
  void the_rate_is_divided_over_the_shards_that_are_not_done() throws SQLException {
    append(A, 2);
    append(ELSEWHERE, 2);
    relay.publishAll();
    replays.start("p_topic => 'orders', p_rate => 90");
    ReplayTask here = replays.task(SHARD);
    assertThat(here.ratePerSecond()).isEqualTo(45.0);

    assertThat(replays.finish(tokenOf(2), replays.task(2))).isEqualTo(ReceiptOutcome.RECORDED);

    assertThat(replays.task(SHARD).ratePerSecond()).isEqualTo(90.0);
    assertThat(replays.page(SHARD, here.replay(), 0, Replays.BOUNDS).task().ratePerSecond())
        .isEqualTo(90.0);
  }

  @Test
  void a_checkpoint_is_where_the_next_owner_goes_on_and_the_last_shard_ends_the_replay()
      throws SQLException {
    List<Long> ids = append(A, 4);
    append(ELSEWHERE, 1);
    relay.publishAll();
    long replay = replays.start("p_topic => 'orders'");
    ReplayTask task = replays.task(SHARD);

    assertThat(replays.record(claim(), task, task.position(), ids.get(1)))
        .isEqualTo(ReceiptOutcome.RECORDED);

    assertThat(replays.ids(SHARD, replay)).containsExactly(ids.get(2), ids.get(3));
    assertThat(
            pg.value(
                "select sent || ' ' || skipped || ' ' || skip_reason || ' ' || checkpoints"
                    + " from millrace.replay_shard where shard = 1"))
        .isEqualTo("3 1 too large 1");
    replays.finish(claim(), replays.task(SHARD));
    assertThat(replays.state(replay)).isEqualTo("running");
    assertThat(replays.tasks(Set.of(SHARD))).isEmpty();
    replays.finish(tokenOf(2), replays.task(2));
    assertThat(replays.state(replay)).isEqualTo("done");
    assertThat(
            pg.value(
                "select progress || ' ' || messages_left || ' ' || shards_done || ' ' || laggards"
                    + " from millrace.replay_status"))
        .isEqualTo("1.0000 0 2 []");
  }

  @Test
  void a_checkpoint_of_another_owner_another_life_or_another_position_is_void()
      throws SQLException {
    List<Long> ids = append(A, 4);
    relay.publishAll();
    replays.start("p_topic => 'orders'");
    ReplayTask task = replays.task(SHARD);
    Claim old = claim();
    long from = task.position();

    assertThat(replays.record(old, task, from, ids.get(0), new Incarnation("an earlier one"), null))
        .isEqualTo(ReceiptOutcome.OTHER_LIFE);
    assertThat(replays.record(old, task, from + 1, ids.get(1))).isEqualTo(ReceiptOutcome.MOVED);
    Claim next = nodes.tryClaim(nodes.register(NodeRole.RELAY), SHARD).orElseThrow();
    assertThat(replays.record(old, task, from, ids.get(0))).isEqualTo(ReceiptOutcome.FENCED);
    assertThat(replays.task(SHARD).position()).isEqualTo(from);

    assertThat(replays.record(next, task, from, ids.get(0))).isEqualTo(ReceiptOutcome.RECORDED);
    // The same one once more, whose answer was lost.
    assertThat(replays.record(next, task, from, ids.get(0))).isEqualTo(ReceiptOutcome.MOVED);
  }

  @Test
  void a_checkpoint_that_waited_for_a_claim_looks_again_and_is_fenced() throws Exception {
    List<Long> ids = append(A, 2);
    relay.publishAll();
    replays.start("p_topic => 'orders'");
    ReplayTask task = replays.task(SHARD);
    Claim old = claim();
    Connection claiming = pg.connect(PgFixture.NODE);
    claiming.setAutoCommit(false);
    PgFixture.execute(
        claiming, "select pg_advisory_xact_lock(millrace.lock_class(), %d)".formatted(SHARD));
    CompletableFuture<ReceiptOutcome> outcome =
        CompletableFuture.supplyAsync(() -> replays.record(old, task, task.position(), ids.get(0)));
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                pg.value(
                        "select count(*) from pg_locks where locktype = 'advisory' and not granted")
                    .equals("1"));

    pg.execute("update millrace.shard set token = gen_random_uuid() where shard = " + SHARD);
    claiming.commit();

    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(ReceiptOutcome.FENCED);
    assertThat(replays.task(SHARD).position()).isEqualTo(task.position());
  }

  @Test
  void of_two_shards_that_end_at_once_the_second_one_ends_the_replay() throws Exception {
    append(A, 1);
    append(ELSEWHERE, 1);
    relay.publishAll();
    long replay = replays.start("p_topic => 'orders'");
    ReplayTask second = replays.task(2);
    Claim secondClaim = tokenOf(2);
    ReplayTask first = replays.task(SHARD);
    Connection slow = pg.connect(PgFixture.NODE);
    slow.setAutoCommit(false);
    PgFixture.execute(
        slow,
        "select millrace.record_replay(%d, '%s', %d, '%s', %d, %d, 1000, 1, 0, null, null, null)"
            .formatted(
                SHARD,
                claim().token(),
                claim().epoch(),
                first.incarnation().text(),
                replay,
                first.position()));
    CompletableFuture<ReceiptOutcome> outcome =
        CompletableFuture.supplyAsync(() -> replays.finish(secondClaim, second));
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                pg.value(
                        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and query like '%record_replay%'")
                    .equals("1"));
    slow.commit();

    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(ReceiptOutcome.RECORDED);
    assertThat(replays.state(replay)).isEqualTo("done");
  }

  @Test
  void a_cancelled_or_failed_replay_reads_and_records_nothing_more() throws SQLException {
    append(A, 2);
    relay.publishAll();
    long cancelled = replays.start("p_topic => 'orders'");
    ReplayTask task = replays.task(SHARD);
    end(cancelled);

    assertThat(replays.page(SHARD, cancelled, task.position(), Replays.BOUNDS).task()).isNull();
    assertThat(replays.tasks(Set.of(SHARD))).isEmpty();
    assertThat(replays.finish(claim(), task)).isEqualTo(ReceiptOutcome.MOVED);
    assertThat(replays.state(cancelled)).isEqualTo("cancelled: cancelled by ann: enough");

    long failed = replays.start("p_topic => 'orders'");
    ReplayTask other = replays.task(SHARD);
    replays.record(claim(), other, other.position(), other.position(), other.incarnation(), "gone");
    assertThat(replays.state(failed)).isEqualTo("failed: gone");
    assertThat(replays.tasks(Set.of(SHARD))).isEmpty();
  }

  @Test
  void a_shard_says_why_it_does_not_move() throws SQLException {
    append(A, 2);
    append(ELSEWHERE, 2);
    relay.publishAll();
    long first = replays.start("p_topic => 'orders'");
    long second = replays.start("p_aggregate_type => 'order'");
    pg.execute(
        "select millrace.pause_shard(2, 'ann')",
        "update millrace.shard set owner = null, token = null where shard = 2");
    assertThat(whys(first)).containsExactly("1 moves", "2 the shard is paused");
    assertThat(whys(second)).containsExactly("1 replay 1 goes first", "2 the shard is paused");
    pg.execute(
        "select millrace.resume_shard(2, 'ann')",
        "update millrace.replay_shard set waits = 'the broker is away' where shard = 1");
    assertThat(whys(first)).containsExactly("1 the broker is away", "2 nobody reads the shard");
  }

  private List<String> whys(long replay) {
    return pg.column(
        "select (l ->> 'shard') || ' ' || coalesce(l ->> 'why', 'moves') from millrace.replay_status,"
            + " jsonb_array_elements(laggards) l where replay_id = %d order by 1"
                .formatted(replay));
  }
}
