package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.cursor.Sweep;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.port.HeldBack;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PgReceiptStoreIT {
  private static final int SHARD = 3;
  private static final Cursor CURSOR = Cursor.of(new Snapshot("10:20:12,15"), 77);
  private static final String COUNT =
      "select count(*) from millrace.receipt where shard = 3 and epoch > 0";

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgReceiptStore store;
  private PgShardStore shards;
  private Claim claim;
  private Incarnation life;

  @BeforeEach
  void claimTheShard() {
    PgDatabase database = pg.pool();
    store = new PgReceiptStore(database);
    shards = new PgShardStore(database);
    Nodes nodes = new Nodes(database);
    claim = nodes.claim(SHARD);
    life = nodes.incarnation(SHARD);
  }

  private LoadedCursor load() {
    return PgFixture.await(store.load(SHARD, Receipt.MAIN_LANE));
  }

  private ReceiptOutcome record(Claim by, Incarnation in, long counter, Cursor cursor) {
    return PgFixture.await(store.record(Nodes.receipt(SHARD, by, in, counter, cursor, 5)));
  }

  @Test
  void a_shard_that_was_never_read_starts_at_the_beginning_of_a_known_incarnation() {
    LoadedCursor loaded = load();

    assertThat(loaded.cursor().head()).isZero();
    assertThat(loaded.cursor().sweep()).isNull();
    assertThat(loaded.counter()).isZero();
    assertThat(loaded.isAhead()).isFalse();
    assertThat(loaded.incarnation().isSameAs(load().incarnation())).isTrue();
  }

  @Test
  void what_was_recorded_is_loaded() {
    Snapshot target = new Snapshot("30:40:33");
    Cursor late = new Cursor(CURSOR.seen(), 77, new Sweep.Late(target, 12, 99));
    Cursor tail = new Cursor(target, 77, new Sweep.Tail(99));
    long counter = 0;
    for (Cursor cursor : new Cursor[] {CURSOR, late, tail, Cursor.of(target, 99)}) {
      assertThat(record(claim, life, ++counter, cursor)).isEqualTo(ReceiptOutcome.RECORDED);
      assertThat(load())
          .isEqualTo(new LoadedCursor(cursor, counter, life, false, HeldBack.NOTHING));
    }
  }

  @Test
  void a_receipt_keeps_what_the_pass_read_and_who_published() {
    PgFixture.await(
        store.record(
            new Receipt(
                SHARD,
                Receipt.MAIN_LANE,
                claim,
                life,
                1,
                CURSOR,
                4711,
                3,
                70L,
                77L,
                List.of(),
                null,
                0)));

    assertThat(
            pg.value(
                "select concat_ws(' ', seq_before, message_count, first_id, last_id,"
                    + " node = (select owner from millrace.shard where shard = 3),"
                    + " xid < pg_snapshot_xmax(pg_current_snapshot()))"
                    + " from millrace.receipt where shard = 3 and counter = 1"))
        .isEqualTo("4711 3 70 77 t t");
  }

  @Test
  void the_highest_counter_of_the_highest_epoch_is_the_cursor_whatever_was_written_last() {
    record(claim, life, 5, Cursor.of(CURSOR.seen(), 500));
    record(claim, life, 3, Cursor.of(CURSOR.seen(), 300));
    assertThat(load().cursor().head()).isEqualTo(500);

    pg.execute(
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)"
            + " values (3, 9, 1, '10:20:', 900, 0, 0)");

    assertThat(load().cursor().head()).isEqualTo(900);
    assertThat(load().counter()).isEqualTo(1);
  }

  @Test
  void one_who_has_the_epoch_but_not_the_token_is_fenced() {
    Claim forged = new Claim(UUID.randomUUID(), claim.epoch());

    assertThat(record(forged, life, 1, CURSOR)).isEqualTo(ReceiptOutcome.FENCED);
    assertThat(pg.value(COUNT)).isEqualTo("0");
  }

  @Test
  void one_who_has_the_token_but_not_the_epoch_is_fenced() {
    Claim old = new Claim(claim.token(), claim.epoch() - 1);

    assertThat(record(old, life, 1, CURSOR)).isEqualTo(ReceiptOutcome.FENCED);
    assertThat(pg.value(COUNT)).isEqualTo("0");
  }

  @Test
  void one_who_gave_the_shard_back_is_fenced() {
    PgFixture.await(shards.release(SHARD, claim));

    assertThat(record(claim, life, 1, CURSOR)).isEqualTo(ReceiptOutcome.FENCED);
    assertThat(pg.value(COUNT)).isEqualTo("0");
  }

  @Test
  void a_receipt_of_another_life_of_the_server_is_void() {
    assertThat(record(claim, new Incarnation(life.text() + "1"), 1, CURSOR))
        .isEqualTo(ReceiptOutcome.OTHER_LIFE);
    assertThat(record(claim, Incarnation.NONE, 1, CURSOR)).isEqualTo(ReceiptOutcome.OTHER_LIFE);
    pg.execute("truncate millrace.incarnation_marker");
    assertThat(record(claim, life, 1, CURSOR)).isEqualTo(ReceiptOutcome.OTHER_LIFE);
    assertThat(pg.value(COUNT)).isEqualTo("0");

    Incarnation next = load().incarnation();
    assertThat(next.isSameAs(life)).isFalse();
    assertThat(record(claim, next, 1, CURSOR)).isEqualTo(ReceiptOutcome.RECORDED);
  }

  @Test
  void a_cursor_from_another_world_is_told() {
    record(claim, life, 1, Cursor.of(new Snapshot("900000000:900000000:"), 3));

    assertThat(load().isAhead()).isTrue();
  }

  @Test
  void a_lane_without_a_receipt_is_an_error_that_names_it() {
    assertThatThrownBy(() -> PgFixture.await(store.load(SHARD, "no-such-topic")))
        .isInstanceOfSatisfying(
            Failure.class, f -> assertThat(f.kind()).isEqualTo(FailureKind.BROKEN))
        .hasMessageContaining("shard 3, lane 'no-such-topic'");
  }

  @Test
  void the_same_receipt_twice_is_refused() {
    record(claim, life, 1, CURSOR);

    assertThatThrownBy(() -> record(claim, life, 1, CURSOR)).isInstanceOf(Failure.class);
    assertThat(pg.value(COUNT)).isEqualTo("1");
  }

  @Test
  void receipts_commit_asynchronously_and_nothing_else_of_the_session_does() throws SQLException {
    Connection node = pg.connect(PgFixture.NODE);
    node.setAutoCommit(false);
    PgFixture.execute(
        node,
        "select millrace.record_receipt(3, '', '%s', %d, '%s', 1, '10:20:', 1, null, null, null, 0, 0, null, null, null, null, 0)"
            .formatted(claim.token(), claim.epoch(), life.text()));

    assertThat(PgFixture.value(node, "show synchronous_commit")).isEqualTo("off");
    node.commit();
    assertThat(PgFixture.value(node, "show synchronous_commit")).isEqualTo("on");
  }
}
