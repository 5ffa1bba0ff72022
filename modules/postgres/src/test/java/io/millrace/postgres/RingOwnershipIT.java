package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.MaintenanceRow;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.ring.RingStep;
import io.vertx.pgclient.PgException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who may turn the ring: every step holds the lock that a take-over must take. */
class RingOwnershipIT {
  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgRingStore ring;
  private Nodes nodes;
  private Claim claim;

  @BeforeEach
  void claimMaintenance() {
    database = pg.pool();
    ring = new PgRingStore(database, 100, 0);
    nodes = new Nodes(database);
    claim = nodes.claimMaintenance(ring);
  }

  @Test
  void the_steps_of_an_owner_that_was_replaced_fail() {
    Claim old = claim;
    claim = nodes.claimMaintenance(ring);

    assertThatThrownBy(() -> PgFixture.await(ring.step(old, new RingStep.Prepare(1))))
        .isInstanceOfSatisfying(
            Failure.class, f -> assertThat(f.kind()).isEqualTo(FailureKind.TRANSIENT))
        .cause()
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("55000"));
    assertThat(claim.epoch()).isEqualTo(old.epoch() + 1);
    assertThat(PgFixture.await(ring.release(old))).isFalse();
    assertThat(PgFixture.await(ring.step(claim, new RingStep.Prepare(1)))).isEmpty();
    assertThat(PgFixture.await(ring.release(claim))).isTrue();
    assertThat(nodes.view().maintenance().owner()).isNull();
  }

  @Test
  void a_take_over_waits_for_the_step_that_is_being_done() throws SQLException {
    Connection node = pg.connect(PgFixture.NODE);
    node.setAutoCommit(false);
    PgFixture.value(node, "select millrace.ring_prepare('%s', 100, 1)".formatted(claim.token()));
    var claiming = ring.claim(nodes.register(NodeRole.MAINTENANCE), nodes.view().maintenance(), 0L);
    await()
        .until(
            () -> pg.column("select pid from pg_locks where not granted"),
            waiting -> !waiting.isEmpty());
    assertThat(claiming.isComplete()).isFalse();
    node.commit();

    assertThat(PgFixture.await(claiming)).isPresent();
    assertThat(pg.value("select state from millrace.slot where slot = 1")).isEqualTo("next");
  }

  @Test
  void an_owner_whose_counter_has_moved_is_not_replaced() {
    MaintenanceRow seen = nodes.view().maintenance();
    PgFixture.await(new PgShardStore(database).heartbeat(seen.owner()));
    UUID other = nodes.register(NodeRole.MAINTENANCE);

    assertThat(PgFixture.await(ring.claim(other, seen, 0L))).isEmpty();
    assertThat(nodes.view().maintenance()).isEqualTo(seen);
  }

  @Test
  void what_was_decided_on_an_old_view_is_not_done() {
    UUID other = nodes.register(NodeRole.MAINTENANCE);

    assertThat(PgFixture.await(ring.claim(other, new MaintenanceRow(null, 0), null))).isEmpty();
  }
}
