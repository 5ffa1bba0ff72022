package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReceiptRotationIT {
  private static final String CURRENT =
      "select pg_sequence_last_value('millrace.receipt_part'::regclass)";
  private static final long DAY_MS = 86_400_000;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgRingStore ring;
  private Nodes nodes;
  private Claim claim;
  private ShardReaders relay;

  @BeforeEach
  void claimMaintenance() {
    database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    nodes = new Nodes(database);
    claim = nodes.claimMaintenance(ring);
    relay = new ShardReaders(database, nodes);
  }

  private void rotate() {
    PgFixture.await(ring.rotate(claim));
  }

  private List<LoadedCursor> cursors() {
    PgReceiptStore receipts = new PgReceiptStore(database);
    return IntStream.range(0, PgFixture.SHARDS)
        .mapToObj(shard -> PgFixture.await(receipts.load(shard, Receipt.MAIN_LANE)))
        .toList();
  }

  @Test
  void every_shard_keeps_its_cursor_through_any_number_of_turns() throws SQLException {
    Connection writer = pg.connect(PgFixture.APPLICATION);
    for (int i = 0; i < 20; i++) {
      PgFixture.append(writer, "a" + i);
    }
    relay.publishAll();
    List<LoadedCursor> before = cursors();

    for (int turn = 1; turn <= 7; turn++) {
      rotate();
      assertThat(pg.value(CURRENT)).isEqualTo(Integer.toString(turn % 3));
      assertThat(cursors()).as("after turn %d", turn).isEqualTo(before);
    }
    assertThat(Integer.parseInt(pg.value("select count(*) from millrace.receipt")))
        .isLessThanOrEqualTo(3 * PgFixture.SHARDS);
    relay.record(2);
    assertThat(cursors().get(2).counter()).isEqualTo(before.get(2).counter() + 1);
  }

  @Test
  void a_list_that_is_not_old_enough_is_not_turned() {
    PgFixture.await(new PgRingStore(database, 100, DAY_MS).rotate(claim));

    assertThat(pg.value(CURRENT)).isEqualTo("0");
  }

  @Test
  void a_list_that_holds_the_newest_receipt_of_a_shard_is_not_emptied() throws SQLException {
    rotate();
    rotate();
    String shardZeroIsBusy = "select pg_advisory_xact_lock_shared(millrace.lock_class(), 0)";
    Connection writing = pg.connect(PgFixture.NODE);
    writing.setAutoCommit(false);
    PgFixture.execute(writing, shardZeroIsBusy);
    List<LoadedCursor> before = cursors();

    rotate();

    assertThat(pg.value(CURRENT)).as("shard 0 could not be carried").isEqualTo("2");
    assertThat(cursors()).isEqualTo(before);
    writing.commit();
    rotate();
    assertThat(pg.value(CURRENT)).isEqualTo("0");
    assertThat(cursors()).isEqualTo(before);
  }

  @Test
  void a_reader_of_receipts_delays_the_turn_and_is_not_disturbed() throws SQLException {
    rotate();
    rotate();
    Connection analyst = pg.connect(PgFixture.OPERATOR);
    analyst.setAutoCommit(false);
    PgFixture.value(analyst, "select count(*) from millrace.receipt");

    rotate();
    assertThat(pg.value(CURRENT)).isEqualTo("2");
    assertThat(PgFixture.value(analyst, "select count(*) > 0 from millrace.receipt"))
        .isEqualTo("t");
    analyst.commit();
    rotate();
    assertThat(pg.value(CURRENT)).isEqualTo("0");
  }

  @Test
  void late_rows_are_found_though_every_receipt_before_them_is_gone() throws SQLException {
    Connection slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    String aggregate = PgFixture.aggregate(1, 0);
    long low = PgFixture.append(slow, aggregate);
    Connection fast = pg.connect(PgFixture.APPLICATION);
    PgFixture.append(fast, PgFixture.aggregate(1, 1));
    relay.publishAll();
    for (int turn = 0; turn < 6; turn++) {
      rotate();
    }
    slow.commit();

    assertThat(relay.reader(1).pass()).containsExactly(low);
  }

  @Test
  void answers_of_commands_go_when_nobody_can_ask_for_them_any_more() {
    pg.execute(
        """
        insert into millrace.command_answer (bucket, command_id, name, arguments, refused, answer)
        select (extract(epoch from clock_timestamp())::bigint / 86400 - days) % 16,
               millrace.uuid_v7(), 'days ago: ' || days, '', false, ''
        from generate_series(-1, 14) days
        """);

    rotate();

    assertThat(pg.column("select name from millrace.command_answer"))
        .hasSize(13)
        .doesNotContain("days ago: 12", "days ago: 13", "days ago: 14");
  }
}
