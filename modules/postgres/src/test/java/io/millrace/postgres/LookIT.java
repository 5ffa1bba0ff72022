package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import io.millrace.port.MessageTrace;
import io.millrace.port.OperatorStore.Act;
import io.millrace.port.ParkedFilter;
import io.millrace.port.ParkedPage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Looking for a few of many rows, and having the ring turned. */
class LookIT {
  /** A message every 100 ms for over an hour, an application's own ids among them. */
  private static final int MESSAGES = 45_000;

  private static final long WITHIN_MS = 10_000;

  /** By the transaction that asks: what others have scanned is counted whenever they get to it. */
  private static final String SCANS =
      "select relname from pg_stat_xact_user_tables"
          + " where seq_scan > 0 and (relname like 'outbox_slot_%' or relname = 'parked')";

  private static final long WEEK_MS = 604_800_000;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgLookStore look;

  @BeforeEach
  void open() {
    look = new PgLookStore(pg.pool());
  }

  private void fill() {
    int each = MESSAGES / PgFixture.SLOTS;
    for (int slot = 0; slot < PgFixture.SLOTS; slot++) {
      pg.execute(
          "update millrace.slot set state = 'draining' where state = 'hot'",
          "update millrace.slot set state = 'hot' where slot = " + slot,
          "select setval('millrace.ring_slot', %d)".formatted(slot),
          """
          insert into millrace.outbox (message_id, aggregate_type, aggregate_id, topic, event_type, created_at)
          select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
                  || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid,
                 'order', (i %% 1000)::text, 'orders', 'paid', at
          from generate_series(%1$d, %2$d) i
          cross join lateral (select now() - (%3$d - i) * interval '100 ms' as at) t
          order by i
          """
              .formatted(slot * each, (slot + 1) * each - 1, MESSAGES));
    }
  }

  @Test
  void a_message_is_found_among_many_by_looking_at_those_of_its_time() {
    fill();
    for (int row : List.of(0, 1, MESSAGES / 2, MESSAGES - 1)) {
      List<String> one =
          pg.column(
              "select message_id || ' ' || id from millrace.outbox order by id offset "
                  + row
                  + " limit 1");
      String[] parts = one.get(0).split(" ");
      MessageTrace trace = find(UUID.fromString(parts[0]), WITHIN_MS);
      assertThat(trace.place()).as("row " + row).isNotNull();
      assertThat(trace.place().id()).isEqualTo(Long.parseLong(parts[1]));
      assertThat(trace.place().state()).isEqualTo("waiting");
      assertThat(trace.messagesLookedAt()).isBetween(1L, 2 * WITHIN_MS / 100 + 2);
    }
  }

  @Test
  void a_message_that_is_not_there_costs_no_more() {
    fill();
    String id =
        pg.value(
            "select overlay(message_id::text placing 'ffff' from 33)"
                + " from millrace.outbox order by id offset 20000 limit 1");
    MessageTrace trace = find(UUID.fromString(id), WITHIN_MS);
    assertThat(trace.place()).isNull();
    assertThat(trace.isComplete()).isTrue();
    assertThat(trace.messagesLookedAt()).isBetween(100L, 2 * WITHIN_MS / 100 + 2);
  }

  @Test
  void an_id_that_its_application_minted_long_before_is_found_by_looking_further() {
    String id =
        pg.value(
            "insert into millrace.outbox (message_id, aggregate_type, aggregate_id, topic, event_type)"
                + " select (lpad(to_hex((extract(epoch from now() - interval '1 h') * 1000)::bigint), 12,"
                + " '0') || '7abc8abcdefabcdefabc')::uuid, 'order', '1', 'orders', 'paid'"
                + " returning message_id");
    assertThat(find(UUID.fromString(id), 60_000).place()).isNull();
    assertThat(find(UUID.fromString(id), 3_700_000).place()).isNotNull();
  }

  @Test
  void a_look_ends_at_its_bound_and_says_that_it_is_not_complete() {
    fill();
    List<String> found =
        pg.column(
            "select is_complete || ' ' || rows_looked_at from millrace.find_message("
                + "overlay(millrace.uuid_v7()::text placing 'ffff' from 33)::uuid, 86400000, 1000)");
    assertThat(found).containsExactly("false 1000");
  }

  @Test
  void a_message_that_was_discarded_is_not_told_as_published() {
    pg.execute(
        "insert into millrace.outbox (aggregate_type, aggregate_id, topic, event_type)"
            + " values ('order', '1', 'orders', 'paid')",
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count,"
            + " first_id, last_id)"
            + " select shard, 1, 1, pg_current_snapshot(), id, id, 1, id, id from millrace.outbox");
    UUID id = UUID.fromString(pg.value("select message_id from millrace.outbox"));
    assertThat(find(id, WITHIN_MS).place().state()).isEqualTo("published");
    assertThat(find(id, WITHIN_MS).place().receipt().counter()).isEqualTo(1);
    pg.execute(
        "insert into millrace.audit (actor, act, detail)"
            + " select 'millrace', 'discarded', jsonb_build_object('id', id) from millrace.outbox");
    assertThat(find(id, WITHIN_MS).place().state()).isEqualTo("discarded");
  }

  @Test
  void a_rare_parked_message_is_reached_by_short_pages() {
    park();
    ParkedFilter filter = new ParkedFilter("rare", null, null, null);
    ParkedPage page = PgFixture.await(look.parked(filter, 0, 10));
    int pages = 1;
    while (page.messages().isEmpty()) {
      page = PgFixture.await(look.parked(filter, page.next(), 10));
      pages++;
    }
    assertThat(pages).isEqualTo(3);
    assertThat(page.messages().get(0).id()).isEqualTo(25_000);
    assertThat(page.next()).as("4,999 are left behind it").isNull();
    ParkedPage full = PgFixture.await(look.parked(new ParkedFilter(null, null, null, null), 7, 10));
    assertThat(full.next()).isEqualTo(17);
  }

  @Test
  void a_ring_that_an_operator_wants_turned_is_due_at_the_next_round() throws SQLException {
    PgRingStore ring = new PgRingStore(pg.pool(), 100, 0);
    PgFixture.append(pg.connect(PgFixture.APPLICATION), PgFixture.aggregate(0, 0));
    assertThat(steps(ring)).isEmpty();
    PgOperatorStore operator = new PgOperatorStore(pg.poolOf(PgFixture.OPERATOR));
    assertThat(PgFixture.await(operator.turnRing(new Act("ann", "why")))).isTrue();
    assertThat(steps(ring)).containsExactly(new RingStep.Prepare(1), new RingStep.Turn(1));
    assertThat(PgFixture.await(operator.turnRing(new Act("ann", "why")))).isFalse();
    assertThat(pg.column("select actor || ' ' || act || ' ' || reason from millrace.audit"))
        .containsExactly("ann turn_ring why");
  }

  private static List<RingStep> steps(PgRingStore ring) {
    RingPolicy policy =
        new RingPolicy(
            new RingPolicy.Slots(3, 3, 1, WEEK_MS),
            new RingPolicy.Turn(Long.MAX_VALUE, WEEK_MS),
            new RingPolicy.Retention(WEEK_MS, Long.MAX_VALUE));
    return RingPlan.of(PgFixture.await(ring.view()), policy).steps();
  }

  private MessageTrace find(UUID id, long withinMs) {
    return PgFixture.await(look.find(id, withinMs));
  }

  @Test
  void no_look_scans_a_table_whatever_its_statistics_say() throws SQLException {
    pg.execute("analyze millrace.parked", "analyze millrace.outbox");
    fill();
    park();
    String id = pg.value("select message_id from millrace.outbox order by id offset 20000 limit 1");
    Connection node = pg.connect(PgFixture.NODE);
    node.setAutoCommit(false);
    for (int times = 0; times < 10; times++) {
      PgFixture.value(node, "select count(*) from millrace.parked_page(20000, 10, 'orders')");
      PgFixture.value(
          node, "select state from millrace.find_message('%s', 10000, 100000)".formatted(id));
    }
    assertThat(PgFixture.column(node, SCANS)).isEmpty();
    PgFixture.value(node, "select count(*) from millrace.parked where attempts = 7");
    assertThat(PgFixture.column(node, SCANS)).as("a scan is noticed").containsExactly("parked");
  }

  private void park() {
    pg.execute(
        "insert into millrace.parked (message_id, id, shard, aggregate_type, aggregate_id, topic,"
            + " event_type, content_type, created_at, state, reason)"
            + " select millrace.uuid_v7(), i, i % 4, 'order', i::text, case when i = 25000 then 'rare'"
            + " else 'orders' end, 'paid', 'application/json', now(), 'dead', 'refused'"
            + " from generate_series(1, 29999) i");
  }
}
