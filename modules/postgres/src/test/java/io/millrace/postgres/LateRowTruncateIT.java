package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingStep;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One script, step by step: a transaction commits a row late, into a slot that the relay has passed
 * and that is closed; then the slot is to be emptied. What keeps the row is the one condition that
 * asks what the cursor has seen: with it taken out, the same script loses the row.
 */
class LateRowTruncateIT {
  private static final String FUNCTION =
      "/io/millrace/postgres/schema/partitioning/R__slot_unpublished.sql";
  private static final String CONDITION = "not pg_visible_in_snapshot(o.xid, c.seen)";

  private static final int SHARD = 0;
  private static final String LATE = PgFixture.aggregate(SHARD, 0);
  private static final String EARLY = PgFixture.aggregate(SHARD, 1);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgRingStore ring;
  private Claim claim;
  private ShardReaders relay;

  @BeforeEach
  void claimEverything() {
    PgDatabase database = pg.pool();
    Nodes nodes = new Nodes(database);
    ring = new PgRingStore(database, 100, 0);
    claim = nodes.claimMaintenance(ring);
    relay = new ShardReaders(database, nodes);
  }

  private Optional<String> step(RingStep step) {
    return PgFixture.await(ring.step(claim, step));
  }

  /** Returns the id of the late row, which the relay has passed and not read. */
  private long commitLateIntoAClosedSlot() throws SQLException {
    Connection slow = pg.connect(PgFixture.APPLICATION);
    slow.setAutoCommit(false);
    long late = PgFixture.append(slow, LATE);
    long early = PgFixture.append(pg.connect(PgFixture.APPLICATION), EARLY);
    relay.publishAll();
    assertThat(relay.ids()).containsExactly(early).doesNotContain(late);
    for (RingStep step :
        List.of(new RingStep.Prepare(1), new RingStep.Turn(1), new RingStep.Close(0))) {
      assertThat(step(step)).as(step.toString()).isEmpty();
    }
    slow.commit();
    assertThat(step(new RingStep.MarkPublished(0))).isEmpty();
    return late;
  }

  @Test
  void a_slot_with_a_row_that_the_cursor_has_not_seen_is_kept_until_the_row_is_read()
      throws Exception {
    long late = commitLateIntoAClosedSlot();

    assertThat(step(new RingStep.Truncate(0)))
        .hasValue("shard 0 has not yet seen id " + late + ", which was committed late");
    relay.publishAll();
    assertThat(relay.ids()).endsWith(late);
    assertThat(step(new RingStep.Truncate(0))).isEmpty();
  }

  @Test
  void without_the_condition_that_asks_what_the_cursor_has_seen_the_same_row_is_lost()
      throws Exception {
    String shipped = shippedFunction();
    assertThat(shipped).containsOnlyOnce(CONDITION);
    pg.execute(shipped.replace(CONDITION, "false"));
    long late = commitLateIntoAClosedSlot();

    assertThat(step(new RingStep.Truncate(0))).isEmpty();
    relay.publishAll();
    assertThat(relay.ids()).doesNotContain(late);
    assertThat(pg.column("select id from millrace.outbox")).isEmpty();
  }

  private static String shippedFunction() throws IOException {
    try (InputStream in = LateRowTruncateIT.class.getResourceAsStream(FUNCTION)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
