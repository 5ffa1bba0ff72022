package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.failure.Failure;
import io.millrace.core.lease.Claim;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What several shards ask for together is answered as if each had asked alone. */
class GatheringIT {
  private static final ReadBounds WIDE = new ReadBounds(200, 1_000_000, 100_000);
  private static final String NOTHING_SEEN = "3:3:";
  private static final String RECORDED =
      "select shard || ' ' || head from millrace.receipt where epoch > 0 order by shard";

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgOutboxStore store;
  private Connection writer;

  @BeforeEach
  void openTheStore() throws SQLException {
    store = new PgOutboxStore(pg.pool());
    writer = pg.connect(PgFixture.APPLICATION);
  }

  private static Read.Onward onward(String seen, long head) {
    return (Read.Onward) Cursor.of(new Snapshot(seen), head).nextRead(WIDE);
  }

  private Future<ReadResult> ask(int shard, Scope scope, Read read, ReadBounds bounds) {
    return store.read(shard, scope, read, bounds);
  }

  /** All but the snapshot and the sequence, which others may move meanwhile. */
  private static List<Object> found(ReadResult result) {
    return List.of(result.lateTo(), result.newTo(), result.incarnation(), result.messages());
  }

  private static List<Long> ids(ReadResult result) {
    return result.messages().stream().map(OutboxMessage::id).toList();
  }

  private List<Long> appendToEveryShard(int each) throws SQLException {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
        ids.add(PgFixture.append(writer, PgFixture.aggregate(shard, i % 3)));
      }
    }
    return ids;
  }

  @Test
  void each_gets_what_it_would_get_alone() throws SQLException {
    String seen = pg.value("select pg_current_snapshot()");
    List<Long> all = appendToEveryShard(6);
    long middle = all.get(all.size() / 2);
    Scope lane = Scope.lane("orders");
    Scope others = Scope.main(List.of("orders", "refunds"));
    ReadBounds two = new ReadBounds(2, 1_000_000, 100_000);
    ReadBounds fewBytes = new ReadBounds(200, 1, 100_000);
    ReadBounds fewIds = new ReadBounds(200, 1_000_000, 3);

    List<Future<ReadResult>> together = new ArrayList<>();
    List<ReadResult> alone = new ArrayList<>();
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      int at = shard;
      together.add(ask(at, Scope.ALL, onward(seen, 0), WIDE));
      together.add(ask(at, Scope.ALL, onward(seen, middle), two));
      together.add(ask(at, lane, onward(NOTHING_SEEN, middle), fewBytes));
      together.add(ask(at, others, onward(seen, middle), fewIds));
    }
    PgFixture.await(Future.join(together));
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      alone.add(PgFixture.await(ask(shard, Scope.ALL, onward(seen, 0), WIDE)));
      alone.add(PgFixture.await(ask(shard, Scope.ALL, onward(seen, middle), two)));
      alone.add(PgFixture.await(ask(shard, lane, onward(NOTHING_SEEN, middle), fewBytes)));
      alone.add(PgFixture.await(ask(shard, others, onward(seen, middle), fewIds)));
    }

    assertThat(together.stream().map(Future::result).map(GatheringIT::found).toList())
        .isEqualTo(alone.stream().map(GatheringIT::found).toList());
    assertThat(alone.stream().map(GatheringIT::ids).filter(found -> !found.isEmpty()))
        .as("passes that find something")
        .hasSizeGreaterThanOrEqualTo(2 * PgFixture.SHARDS);
    assertThat(ids(alone.get(0))).hasSize(6);
    assertThat(ids(alone.get(1))).hasSize(2);
    assertThat(ids(alone.get(2))).hasSize(1);
    assertThat(ids(alone.get(3))).isEmpty();
  }

  @Test
  void those_of_one_turn_share_statements_as_large_as_they_may_be() {
    List<Integer> sizes = new ArrayList<>();
    Gathering<Integer, Integer> gathering = counting(sizes);
    List<Future<Integer>> asked = new ArrayList<>();

    pg.inOneTurn(() -> IntStream.range(0, 7).forEach(request -> asked.add(gathering.ask(request))));

    assertThat(asked.stream().map(PgFixture::await)).containsExactly(0, 1, 2, 3, 4, 5, 6);
    assertThat(sizes).containsExactly(3, 3, 1);
  }

  /** Answers each request with itself, three a statement, and notes how many it was sent. */
  private Gathering<Integer, Integer> counting(List<Integer> sizes) {
    return new Gathering<>(
        pg.pool(),
        new Gathering.Limits(3, 100, 1, 1),
        request -> 1,
        failure -> false,
        requests -> {
          sizes.add(requests.size());
          return Future.succeededFuture(List.copyOf(requests));
        });
  }

  @Test
  void more_than_a_statement_takes_are_all_answered() throws SQLException {
    List<Long> all = appendToEveryShard(3);
    List<Future<ReadResult>> asked = new ArrayList<>();
    for (int i = 0; i < 25 * PgOutboxStore.LIMITS.requestsMax(); i++) {
      ReadBounds bounds = new ReadBounds(1 + i * 50, 1_000_000, 100_000);
      asked.add(ask(i % PgFixture.SHARDS, Scope.ALL, onward(NOTHING_SEEN, 0), bounds));
    }

    Set<Long> found = new HashSet<>();
    for (Future<ReadResult> answer : asked) {
      found.addAll(ids(PgFixture.await(answer)));
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void what_the_server_refuses_to_one_the_others_have_nevertheless() throws SQLException {
    appendToEveryShard(1);
    List<Future<ReadResult>> asked = new ArrayList<>();
    pg.inOneTurn(
        () -> {
          for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
            String seen = shard == 2 ? "no snapshot" : NOTHING_SEEN;
            asked.add(ask(shard, Scope.ALL, onward(seen, 0), WIDE));
          }
        });

    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      if (shard == 2) {
        Future<ReadResult> refused = asked.get(shard);
        assertThatThrownBy(() -> PgFixture.await(refused))
            .isInstanceOf(Failure.class)
            .hasMessageContaining("read_onward: ")
            .hasMessageContaining("no snapshot");
      } else {
        assertThat(ids(PgFixture.await(asked.get(shard)))).hasSize(1);
      }
    }
  }

  @Test
  void receipts_of_one_turn_are_one_transaction_and_each_is_fenced_by_itself() {
    Receipts all = new Receipts();
    List<Future<ReceiptOutcome>> asked =
        all.recordInOneTurn(
            shard ->
                Nodes.receipt(
                    shard,
                    shard == 2 ? new Claim(UUID.randomUUID(), 1) : all.claim(shard),
                    shard == 0 ? new Incarnation("another") : all.life(shard),
                    1,
                    Cursor.of(new Snapshot("10:20:"), 100 + shard),
                    5));

    assertThat(asked.stream().map(PgFixture::await))
        .containsExactly(
            ReceiptOutcome.OTHER_LIFE,
            ReceiptOutcome.RECORDED,
            ReceiptOutcome.FENCED,
            ReceiptOutcome.RECORDED);
    assertThat(pg.column(RECORDED)).containsExactly("1 101", "3 103");
    assertThat(pg.value("select count(distinct xid) from millrace.receipt where epoch > 0"))
        .isEqualTo("1");
  }

  @Test
  void a_receipt_that_the_server_refuses_does_not_keep_the_others_from_being_recorded() {
    Receipts all = new Receipts();
    List<Future<ReceiptOutcome>> asked =
        all.recordInOneTurn(shard -> all.receipt(shard, shard == 1 ? "no snapshot" : "10:20:"));

    assertThatThrownBy(() -> PgFixture.await(asked.get(1)))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("record_receipt: ");
    assertThat(asked.stream().filter(a -> a != asked.get(1)).map(PgFixture::await))
        .containsOnly(ReceiptOutcome.RECORDED);
    assertThat(pg.column(RECORDED)).containsExactly("0 100", "2 102", "3 103");
  }

  @Test
  void a_shard_that_is_locked_does_not_keep_the_others_waiting() throws SQLException {
    Receipts all = new Receipts();
    Connection claimer = pg.connect(PgFixture.OPERATOR);
    claimer.setAutoCommit(false);
    PgFixture.value(claimer, "select pg_advisory_xact_lock(millrace.lock_class(), 2)");

    List<Future<ReceiptOutcome>> asked = all.recordInOneTurn(shard -> all.receipt(shard, "10:20:"));

    assertThat(asked.stream().filter(a -> a != asked.get(2)).map(PgFixture::await))
        .containsOnly(ReceiptOutcome.RECORDED);
    assertThat(pg.column(RECORDED)).containsExactly("0 100", "1 101", "3 103");
    assertThat(asked.get(2).isComplete()).isFalse();
    claimer.commit();
    assertThat(PgFixture.await(asked.get(2))).isEqualTo(ReceiptOutcome.RECORDED);
  }

  @Test
  void an_asker_that_fails_at_its_answer_does_not_keep_the_others_from_theirs() {
    Gathering<Integer, Integer> gathering = counting(new ArrayList<>());
    List<Future<Integer>> asked = new ArrayList<>();
    pg.inOneTurn(
        () -> {
          IntStream.range(0, 5).forEach(request -> asked.add(gathering.ask(request)));
          asked
              .get(0)
              .onSuccess(
                  answer -> {
                    throw new IllegalStateException("the asker fails, as this test wants");
                  });
        });

    assertThat(asked.stream().map(PgFixture::await)).containsExactly(0, 1, 2, 3, 4);
  }

  /** Every shard claimed, and a receipt of each asked for, the last shard's first. */
  private final class Receipts {
    private final PgDatabase database = pg.pool();
    private final Nodes nodes = new Nodes(database);
    private final PgReceiptStore receipts = new PgReceiptStore(database);
    private final Map<Integer, Claim> claims = new HashMap<>();

    Receipts() {
      for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
        claims.put(shard, nodes.claim(shard));
      }
    }

    Claim claim(int shard) {
      return claims.get(shard);
    }

    Receipt receipt(int shard, String seen) {
      Cursor cursor = Cursor.of(new Snapshot(seen), 100 + shard);
      return Nodes.receipt(shard, claim(shard), life(shard), 1, cursor, 5);
    }

    Incarnation life(int shard) {
      return nodes.incarnation(shard);
    }

    List<Future<ReceiptOutcome>> recordInOneTurn(IntFunction<Receipt> receiptOf) {
      List<Receipt> made = IntStream.range(0, PgFixture.SHARDS).mapToObj(receiptOf).toList();
      List<Future<ReceiptOutcome>> asked = new ArrayList<>();
      pg.inOneTurn(
          () -> {
            for (int shard = PgFixture.SHARDS - 1; shard >= 0; shard--) {
              asked.add(0, receipts.record(made.get(shard)));
            }
          });
      return asked;
    }
  }
}
