package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.Sweep;
import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingStep;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a pass costs beside a transaction that stays open: pages touched, as EXPLAIN counts them,
 * never time.
 */
class HeldHorizonIT {
  private static final int ROUNDS = 40;
  private static final int ROWS_A_ROUND = 200;
  private static final long LONG_OPEN_IDS = 10_000_000;
  private static final ReadBounds BOUNDS = new ReadBounds(200, 1_000_000, 100_000);

  /** A leaf more of an index, and a receipt's page or two. */
  private static final long NOISE = 20;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgRingStore ring;
  private Claim claim;
  private ShardReaders relay;
  private Connection writer;
  private Connection holder;
  private int truncated;

  @BeforeEach
  void prepare() throws SQLException {
    database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    Nodes nodes = new Nodes(database);
    claim = nodes.claimMaintenance(ring);
    relay = new ShardReaders(database, nodes, BOUNDS);
    writer = pg.connect(PgFixture.APPLICATION);
    holder = pg.connect(PgFixture.OPERATOR);
    holder.setAutoCommit(false);
  }

  @Test
  void
      a_pass_beside_an_open_repeatable_read_transaction_costs_after_many_turns_what_it_cost_at_first()
          throws SQLException {
    PgFixture.execute(holder, "set transaction isolation level repeatable read");
    PgFixture.value(holder, "select pg_current_snapshot()");
    List<Long> pages = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      appendSome(round);
      relay.publishAll();
      maintain();
      pages.add(pagesOfAPass());
    }

    assertThat(truncated).as("slots emptied meanwhile").isGreaterThan(ROUNDS / 2);
    long first = pages.subList(0, 5).stream().mapToLong(p -> p).max().orElseThrow();
    assertThat(pages.subList(5, ROUNDS))
        .as("pages of a pass, round by round, at first %d", first)
        .allSatisfy(touched -> assertThat(touched).isLessThanOrEqualTo(first + NOISE));
    holder.rollback();
  }

  @Test
  void what_a_transaction_wrote_that_was_open_for_ten_million_ids_is_swept_in_bounded_steps()
      throws SQLException {
    String slow = PgFixture.aggregate(0, 0);
    long written = PgFixture.append(holder, slow);
    pg.execute("select setval('millrace.outbox_id', %d)".formatted(written + LONG_OPEN_IDS));
    appendSome(1);
    relay.publishAll();
    PassReader reader = relay.reader(0);
    holder.commit();
    long newest = PgFixture.append(writer, PgFixture.aggregate(0, 1));

    List<Long> found = new ArrayList<>();
    long position = 0;
    int passes = 0;
    do {
      found.addAll(reader.pass());
      passes++;
      if (reader.cursor().sweep() instanceof Sweep.Late late) {
        assertThat(late.position() - position).as("ids of a pass").isBetween(1L, BOUNDS.idsMax());
        position = late.position();
      }
    } while (reader.cursor().sweep() != null || !found.contains(newest));

    assertThat(found).containsExactly(written, newest);
    assertThat(passes).isBetween(100, 103);
  }

  private void appendSome(int round) throws SQLException {
    PgFixture.execute(
        writer,
        "select count(*) from generate_series(1, %d) n, millrace.append('orders', 'order', 'o' || (n + %d), 'paid', null::bytea)"
            .formatted(ROWS_A_ROUND, round));
  }

  private void maintain() {
    PgPublishedCheck check = new PgPublishedCheck(database, 100);
    for (RingStep step :
        RingPlan.of(PgFixture.await(ring.view()), Policies.keepingNothing(4, 1, 1)).steps()) {
      if (step instanceof RingStep.CheckPublished asked) {
        if (PgFixture.await(check.unpublished(claim, asked.slot())).isEmpty()) {
          PgFixture.await(ring.step(claim, new RingStep.MarkPublished(asked.slot())));
        }
      } else {
        boolean isDone = PgFixture.await(ring.step(claim, step)).isEmpty();
        truncated += isDone && step instanceof RingStep.Truncate ? 1 : 0;
      }
    }
    PgFixture.await(ring.rotate(claim));
  }

  /** Of one shard at its cursor, the next messages waiting for it. */
  private long pagesOfAPass() throws SQLException {
    appendSome(0);
    Connection node = pg.connect(PgFixture.NODE);
    PgFixture.execute(node, "prepare onward as " + Statement.READ_ONWARD.text());
    PgFixture.execute(node, Statement.BEGIN_PASS.text());
    var cursor = relay.reader(1).cursor();
    String plan =
        String.join(
            "",
            PgFixture.column(
                node,
                "explain (analyze, buffers, timing off, format json) execute onward('{1}', array['%s'], '{%d}', '{200}', '{1000000}', '{100000}', array[''], array['{}'])"
                    .formatted(cursor.seen(), cursor.head())));
    PgFixture.execute(node, "commit");
    node.close();
    JsonObject root = new JsonArray(plan).getJsonObject(0).getJsonObject("Plan");
    return root.getLong("Shared Hit Blocks") + root.getLong("Shared Read Blocks");
  }
}
