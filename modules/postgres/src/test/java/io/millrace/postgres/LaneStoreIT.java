package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.millrace.core.lease.Claim;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.core.parking.Parking;
import io.millrace.port.LaneOpening;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.Redriven;
import io.vertx.core.Future;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lanes and blocked keys against what comes late, and against each other. */
class LaneStoreIT {
  private static final int SHARD = 3;
  private static final String TOPIC = "orders";
  private static final ReadBounds BOUNDS = new ReadBounds(100, 1_000_000, 10_000);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgReceiptStore receipts;
  private PgParkedStore parked;
  private PgOutboxStore outbox;
  private PgDatabase database;
  private Claim claim;
  private Incarnation life;
  private long counter;

  @BeforeEach
  void claimTheShard() {
    database = pg.pool();
    receipts = new PgReceiptStore(database);
    parked = new PgParkedStore(database);
    outbox = new PgOutboxStore(database);
    Nodes nodes = new Nodes(database);
    claim = nodes.claim(SHARD);
    life = nodes.incarnation(SHARD);
  }

  private void append(String topic, int count) {
    String order = PgFixture.aggregate(SHARD, 0);
    pg.execute(
        "select millrace.append('%s', 'order', '%s', 'changed', null) from generate_series(1, %d)"
            .formatted(topic, order, count));
  }

  private LoadedCursor load(String lane) {
    return PgFixture.await(receipts.load(SHARD, lane));
  }

  private ReadResult read(Scope scope, Cursor cursor) {
    return PgFixture.await(outbox.read(SHARD, scope, cursor.nextRead(BOUNDS), BOUNDS));
  }

  private Receipt receipt(String lane, long number, Cursor cursor, long version) {
    return receipt(lane, number, cursor, version, List.of(), null);
  }

  private Receipt receipt(
      String lane,
      long number,
      Cursor cursor,
      long version,
      List<Parking> park,
      @Nullable String ended) {
    return new Receipt(
        SHARD, lane, claim, life, number, cursor, 0, 0, null, null, park, ended, version);
  }

  private ReceiptOutcome record(Receipt receipt) {
    return PgFixture.await(receipts.record(receipt));
  }

  private ReceiptOutcome openLane() {
    return PgFixture.await(
        receipts.openLane(
            new LaneOpening(SHARD, claim, life, ++counter, TOPIC, "missing", List.of())));
  }

  private Cursor passOf(Scope scope, Cursor before) {
    ReadResult result = read(scope, before);
    return before.after(before.nextRead(BOUNDS), result, BOUNDS);
  }

  @Test
  void a_lane_begins_where_the_main_lane_stands_and_each_reads_its_own() {
    append("refunds", 2);
    Cursor main = passOf(Scope.ALL, load(Scope.MAIN).cursor());
    record(receipt(Scope.MAIN, ++counter, main, 0));
    assertThat(openLane()).isEqualTo(ReceiptOutcome.RECORDED);

    LoadedCursor loaded = load(Scope.MAIN);
    assertThat(loaded.heldBack().lanes()).containsExactly(TOPIC);
    assertThat(load(TOPIC).cursor()).isEqualTo(main);
    append(TOPIC, 3);
    append("refunds", 2);
    assertThat(read(Scope.main(List.of(TOPIC)), main).messages())
        .extracting(OutboxMessage::topic)
        .containsExactly("refunds", "refunds");
    assertThat(read(Scope.lane(TOPIC), main).messages())
        .extracting(OutboxMessage::topic)
        .containsExactly(TOPIC, TOPIC, TOPIC);
  }

  @Test
  void a_receipt_that_does_not_know_of_a_lane_is_void() {
    Cursor cursor = load(Scope.MAIN).cursor();
    openLane();

    assertThat(record(receipt(Scope.MAIN, ++counter, cursor, 0))).isEqualTo(ReceiptOutcome.MOVED);
    long version = load(Scope.MAIN).heldBack().laneVersion();
    assertThat(record(receipt(Scope.MAIN, ++counter, cursor, version)))
        .isEqualTo(ReceiptOutcome.RECORDED);
  }

  @Test
  void a_merge_that_comes_later_than_a_newer_receipt_is_void_and_one_in_time_ends_the_lane() {
    openLane();
    Cursor cursor = load(Scope.MAIN).cursor();
    long version = load(Scope.MAIN).heldBack().laneVersion();
    long late = ++counter;
    record(receipt(Scope.MAIN, ++counter, cursor, version));

    assertThat(record(receipt(Scope.MAIN, late, cursor, version, List.of(), TOPIC)))
        .isEqualTo(ReceiptOutcome.MOVED);
    assertThat(load(Scope.MAIN).heldBack().lanes()).containsExactly(TOPIC);

    assertThat(record(receipt(Scope.MAIN, ++counter, cursor, version, List.of(), TOPIC)))
        .isEqualTo(ReceiptOutcome.RECORDED);
    assertThat(load(Scope.MAIN).heldBack().lanes()).isEmpty();
    assertThat(record(receipt(TOPIC, ++counter, cursor, version))).isEqualTo(ReceiptOutcome.MOVED);
  }

  @Test
  void a_slot_is_published_only_when_the_lane_has_passed_it_too() {
    openLane();
    append(TOPIC, 1);
    append("refunds", 1);
    LoadedCursor loaded = load(Scope.MAIN);
    long version = loaded.heldBack().laneVersion();
    Cursor main = passOf(Scope.main(List.of(TOPIC)), loaded.cursor());
    record(receipt(Scope.MAIN, ++counter, main, version));

    assertThat(pg.value("select millrace.slot_unpublished(0)"))
        .startsWith("shard 3, lane orders is published up to id 0");

    record(receipt(TOPIC, ++counter, passOf(Scope.lane(TOPIC), load(TOPIC).cursor()), version));
    assertThat(pg.value("select millrace.slot_unpublished(0)")).isNull();
  }

  @Test
  void a_lane_keeps_its_cursor_through_rotations() {
    PgRingStore ring = new PgRingStore(database, 100, 0);
    Claim maintenance = new Nodes(database).claimMaintenance(ring);
    openLane();
    LoadedCursor before = load(TOPIC);
    for (int turn = 0; turn < 7; turn++) {
      PgFixture.await(ring.rotate(maintenance));
      assertThat(load(TOPIC)).isEqualTo(before);
    }
  }

  @Test
  void a_parked_message_leaves_the_ring_and_blocks_its_key() {
    append(TOPIC, 2);
    OutboxMessage first = read(Scope.ALL, load(Scope.MAIN).cursor()).messages().get(0);
    park(Parking.refused(first, "too large\0", 2, List.of(new UUID(1, 2))));

    assertThat(PgFixture.await(parked.blocked(SHARD, Set.of(OrderKey.of(first), other()))))
        .containsExactly(OrderKey.of(first));
    assertThat(
            pg.value(
                "select state || ', ' || reason || ', ' || attempts || ', ' || overtaken[1] from millrace.parked"))
        .isEqualTo("dead, too large, 2, 00000000-0000-0001-0000-000000000002");
    assertThat(load(Scope.MAIN).heldBack().hasBlocked()).isTrue();
    assertThat(PgFixture.await(parked.due(SHARD, List.of(), BOUNDS))).isEmpty();
  }

  @Test
  void a_message_that_is_not_in_the_ring_cannot_be_parked() {
    append(TOPIC, 1);
    OutboxMessage message = read(Scope.ALL, load(Scope.MAIN).cursor()).messages().get(0);
    pg.execute("truncate millrace.outbox");
    Receipt receipt =
        receipt(
            Scope.MAIN,
            ++counter,
            load(Scope.MAIN).cursor(),
            0,
            List.of(Parking.behind(message)),
            null);
    assertThat(receipts.record(receipt).transform(done -> Future.succeededFuture(done.failed())))
        .satisfies(failed -> assertThat(PgFixture.await(failed)).isTrue());
    assertThat(load(Scope.MAIN).heldBack().hasBlocked()).isFalse();
  }

  /** The row of the key orders them: whoever comes second sees what the first one did. */
  @Test
  void a_block_is_not_lifted_while_another_message_of_the_key_is_being_parked() throws Exception {
    append(TOPIC, 2);
    List<OutboxMessage> messages = read(Scope.ALL, load(Scope.MAIN).cursor()).messages();
    park(Parking.refused(messages.get(0), "too large", 2, List.of()));
    pg.execute("select millrace.redrive('test', p_topic => 'orders')");
    assertThat(PgFixture.await(parked.due(SHARD, List.of(), BOUNDS)))
        .extracting(OutboxMessage::id)
        .containsExactly(messages.get(0).id());

    Future<ReceiptOutcome> lifting;
    try (Connection parking = pg.connect(PgFixture.NODE)) {
      parking.setAutoCommit(false);
      PgFixture.execute(
          parking,
          ("select millrace.record_receipt(%d, '', '%s', %d, '%s', %d, '10:20:', 1, null, null, null, 0, 1, 2, 2,"
                  + " '[{\"id\": %d, \"kind\": \"behind\", \"state\": \"retrying\", \"reason\": \"behind\", \"attempts\": 0}]',"
                  + " null, 0)")
              .formatted(
                  SHARD,
                  claim.token(),
                  claim.epoch(),
                  life.text(),
                  ++counter,
                  messages.get(1).id()));
      lifting =
          parked.recordRedrive(
              new Redriven(
                  SHARD, claim, life, List.of(messages.get(0).id()), List.of(), List.of(), 0));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () ->
                  pg.value(
                          "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                              + " and query like '%record_redrive%'")
                      .equals("1"));
      parking.commit();
    }
    assertThat(PgFixture.await(lifting)).isEqualTo(ReceiptOutcome.RECORDED);
    assertThat(PgFixture.await(parked.blocked(SHARD, Set.of(OrderKey.of(messages.get(1))))))
        .hasSize(1);
    assertThat(PgFixture.await(parked.due(SHARD, List.of(), BOUNDS)))
        .extracting(OutboxMessage::id)
        .containsExactly(messages.get(1).id());
  }

  private void park(Parking parking) {
    assertThat(
            record(
                receipt(
                    Scope.MAIN, ++counter, load(Scope.MAIN).cursor(), 0, List.of(parking), null)))
        .isEqualTo(ReceiptOutcome.RECORDED);
  }

  private static OrderKey other() {
    return new OrderKey("order", "another", TOPIC);
  }
}
