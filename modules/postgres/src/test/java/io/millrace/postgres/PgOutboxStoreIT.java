package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.Sweep;
import io.millrace.port.Position;
import io.millrace.port.Receipt;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PgOutboxStoreIT {
  private static final ReadBounds WIDE = new ReadBounds(1_000, 1_000_000, 100_000);
  private static final int SHARD = 1;
  private static final String A = PgFixture.aggregate(SHARD, 0);
  private static final String B = PgFixture.aggregate(SHARD, 1);
  private static final String ELSEWHERE = PgFixture.aggregate(2, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgOutboxStore store;
  private Connection fast;
  private Connection slow;

  @BeforeEach
  void openTheStore() throws SQLException {
    database = pg.pool();
    store = new PgOutboxStore(database);
    fast = pg.connect(PgFixture.APPLICATION);
    slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
  }

  private PassReader reader(ReadBounds bounds) {
    var loaded = PgFixture.await(new PgReceiptStore(database).load(SHARD, Receipt.MAIN_LANE));
    return new PassReader(store, SHARD, loaded.cursor(), bounds);
  }

  @Test
  void shards_are_told_that_have_a_committed_message_beyond_their_head() throws SQLException {
    long first = PgFixture.append(fast, A);
    long elsewhere = PgFixture.append(fast, ELSEWHERE);
    PgFixture.append(slow, PgFixture.aggregate(3, 0));

    assertThat(waiting(Map.of(0, 0L, 1, 0L, 2, 0L, 3, 0L))).containsExactlyInAnyOrder(1, 2);
    assertThat(waiting(Map.of(1, first, 2, elsewhere - 1, 3, 0L))).containsExactly(2);
    slow.commit();
    assertThat(waiting(Map.of(2, elsewhere, 3, 0L))).containsExactly(3);
  }

  private List<Integer> waiting(Map<Integer, Long> heads) {
    return PgFixture.await(store.waiting(heads));
  }

  @Test
  void what_is_committed_is_read_once_in_id_order() throws SQLException {
    PassReader reader = reader(WIDE);
    long first = PgFixture.append(fast, A);
    long second = PgFixture.append(fast, B);
    PgFixture.append(fast, ELSEWHERE);

    assertThat(reader.pass()).containsExactly(first, second);
    assertThat(reader.pass()).isEmpty();
  }

  @Test
  void what_is_not_committed_is_never_read() throws SQLException {
    PassReader reader = reader(WIDE);
    PgFixture.append(slow, A);

    assertThat(reader.pass()).isEmpty();
    slow.rollback();
    assertThat(reader.pass()).isEmpty();
  }

  @Test
  void a_late_commit_is_found_by_the_next_pass() throws SQLException {
    PassReader reader = reader(WIDE);
    long low = PgFixture.append(slow, A);
    long high = PgFixture.append(fast, B);

    assertThat(reader.pass()).containsExactly(high);
    assertThat(reader.cursor().head()).isGreaterThan(low);
    slow.commit();
    long next = PgFixture.append(fast, B);
    assertThat(reader.pass()).containsExactly(low, next);
    assertThat(reader.pass()).isEmpty();
  }

  @Test
  void a_transaction_that_got_its_xid_long_before_its_id_is_found() throws SQLException {
    PassReader reader = reader(WIDE);
    PgFixture.value(slow, "select pg_current_xact_id()");
    assertThat(reader.pass()).isEmpty();
    PgFixture.append(fast, B);
    long low = PgFixture.append(slow, A);
    long high = PgFixture.append(fast, B);

    assertThat(reader.pass()).hasSize(2).contains(high).doesNotContain(low);
    slow.commit();
    assertThat(reader.pass()).containsExactly(low);
  }

  @Test
  void rows_are_bounded() throws SQLException {
    PassReader reader = reader(new ReadBounds(3, 1_000_000, 100_000));
    List<Long> ids = appendMany(fast, 10);

    assertThat(reader.pass()).isEqualTo(ids.subList(0, 3));
    assertThat(reader.pass()).isEqualTo(ids.subList(3, 6));
    assertThat(reader.passes()).isEqualTo(ids.subList(6, 10));
  }

  @Test
  void bytes_are_bounded_and_the_row_that_crosses_the_bound_is_read() throws SQLException {
    List<Long> ids = appendMany(fast, 6);
    PassReader one = reader(new ReadBounds(100, 1, 100_000));
    assertThat(one.pass()).isEqualTo(ids.subList(0, 1));
    assertThat(one.messages().get(0).bytes()).isEqualTo(100 + A.length() + 1);

    PassReader two = reader(new ReadBounds(100, 100 + A.length() + 2, 100_000));
    assertThat(two.pass()).isEqualTo(ids.subList(0, 2));
    assertThat(two.passes()).isEqualTo(ids.subList(2, 6));
  }

  @Test
  void ids_are_bounded_and_a_stretch_of_other_shards_does_not_stop_the_cursor()
      throws SQLException {
    PassReader reader = reader(new ReadBounds(100, 1_000_000, 4));
    for (int i = 0; i < 9; i++) {
      PgFixture.append(fast, ELSEWHERE);
    }
    long mine = PgFixture.append(fast, A);

    assertThat(reader.pass()).isEmpty();
    assertThat(reader.cursor().head()).isEqualTo(4);
    assertThat(reader.passes()).containsExactly(mine);
  }

  @Test
  void a_long_late_range_is_swept_in_chunks_and_then_everything_behind_it_follows()
      throws SQLException {
    PassReader reader = reader(new ReadBounds(5, 1_000_000, 10));
    List<Long> late = new ArrayList<>();
    List<Long> early = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      late.add(PgFixture.append(slow, A));
      early.add(PgFixture.append(fast, B));
    }
    assertThat(reader.passes()).isEqualTo(early);
    slow.commit();
    List<Long> behind = appendMany(fast, 15);

    List<Class<?>> states = new ArrayList<>();
    List<Long> found = new ArrayList<>();
    do {
      found.addAll(reader.pass());
      Sweep sweep = reader.cursor().sweep();
      states.add(sweep == null ? Object.class : sweep.getClass());
    } while (reader.cursor().sweep() != null);

    assertThat(states).startsWith(Sweep.Late.class).contains(Sweep.Tail.class);
    assertThat(states.lastIndexOf(Sweep.Late.class)).isLessThan(states.indexOf(Sweep.Tail.class));
    assertThat(found.subList(0, 25)).isEqualTo(late);
    assertThat(found.subList(25, found.size())).isEqualTo(behind);
    assertThat(new HashSet<>(reader.ids())).hasSize(65).hasSameSizeAs(reader.ids());
  }

  @Test
  void a_receipt_before_the_open_transaction_keeps_the_late_range_short() throws SQLException {
    PassReader reader = reader(new ReadBounds(100, 1_000_000, 40));
    appendMany(fast, 60);
    reader.passes();
    Nodes nodes = new Nodes(database);
    var receipt =
        Nodes.receipt(
            SHARD,
            nodes.claim(SHARD),
            nodes.incarnation(SHARD),
            1,
            reader.cursor(),
            reader.sequence());
    PgFixture.await(new PgReceiptStore(database).record(receipt));
    long low = PgFixture.append(slow, A);
    appendMany(fast, 5);
    reader.passes();
    slow.commit();

    assertThat(reader.pass()).containsExactly(low);
    assertThat(reader.cursor().sweep()).isNull();
  }

  @Test
  void a_prepared_transaction_is_read_when_it_is_committed() throws SQLException {
    PassReader reader = reader(WIDE);
    long low = PgFixture.append(slow, A);
    String name = "two_phase_" + low + "_" + System.nanoTime();
    PgFixture.execute(slow, "prepare transaction '" + name + "'");
    long high = PgFixture.append(fast, B);
    assertThat(reader.pass()).containsExactly(high);

    PgFixture.execute(fast, "commit prepared '" + name + "'");

    assertThat(reader.pass()).containsExactly(low);
  }

  @Test
  void a_prepared_transaction_that_is_rolled_back_is_never_read() throws SQLException {
    PassReader reader = reader(WIDE);
    String name = "two_phase_" + PgFixture.append(slow, A) + "_" + System.nanoTime();
    PgFixture.execute(slow, "prepare transaction '" + name + "'");
    assertThat(reader.pass()).isEmpty();

    PgFixture.execute(fast, "rollback prepared '" + name + "'");

    assertThat(reader.pass()).isEmpty();
  }

  @Test
  void of_a_transaction_with_savepoints_what_was_not_rolled_back_is_read() throws SQLException {
    PassReader reader = reader(WIDE);
    List<Long> kept = new ArrayList<>();
    // More than the 64 that a session keeps in shared memory, so that its snapshots overflow.
    for (int i = 0; i < 100; i++) {
      Savepoint savepoint = slow.setSavepoint();
      long id = PgFixture.append(slow, A);
      if (i % 3 == 0) {
        slow.rollback(savepoint);
      } else {
        kept.add(id);
      }
    }
    long high = PgFixture.append(fast, B);
    assertThat(reader.pass()).containsExactly(high);

    slow.commit();

    assertThat(reader.pass()).isEqualTo(kept);
    assertThat(
            pg.column("select distinct xid from millrace.outbox where aggregate_id = '" + A + "'"))
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void writers_of_every_isolation_level_are_read(int isolation) throws SQLException {
    PassReader reader = reader(WIDE);
    slow.setTransactionIsolation(isolation);
    PgFixture.value(slow, "select count(*) from millrace.revision");
    long before = PgFixture.append(fast, B);
    long low = PgFixture.append(slow, A);
    long high = PgFixture.append(fast, B);
    assertThat(reader.pass()).containsExactly(before, high);

    slow.commit();

    assertThat(reader.pass()).containsExactly(low);
  }

  @Test
  void a_late_commit_moves_the_position_though_the_sequence_stands_still() throws SQLException {
    PgFixture.append(slow, A);
    Position before = PgFixture.await(store.position());
    assertThat(PgFixture.await(store.position())).isEqualTo(before);

    slow.commit();

    Position after = PgFixture.await(store.position());
    assertThat(after.sequence()).isEqualTo(before.sequence());
    assertThat(after.now()).isNotEqualTo(before.now());
  }

  private static List<Long> appendMany(Connection connection, int messages) throws SQLException {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      ids.add(PgFixture.append(connection, A));
    }
    return ids;
  }
}
