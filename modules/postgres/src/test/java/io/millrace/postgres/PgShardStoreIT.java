package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeCount;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PgShardStoreIT {
  private static final int SHARD = 2;
  private static final int CLAIMERS = 20;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgShardStore store;
  private Nodes nodes;

  @BeforeEach
  void openTheStore() {
    PgDatabase database = pg.pool();
    store = new PgShardStore(database);
    nodes = new Nodes(database);
  }

  @Test
  void a_view_shows_nodes_shards_and_the_owner_of_maintenance() {
    UUID relay = nodes.register(NodeRole.RELAY);
    UUID other = nodes.register(NodeRole.MAINTENANCE);
    PgFixture.await(store.heartbeat(relay));
    Claim claim = nodes.tryClaim(relay, SHARD).orElseThrow();

    var view = nodes.view();

    assertThat(view.nodes())
        .containsExactlyInAnyOrder(
            new NodeCount(relay, "node-" + relay, NodeRole.RELAY, 1),
            new NodeCount(other, "node-" + other, NodeRole.MAINTENANCE, 0));
    assertThat(view.shards()).hasSize(PgFixture.SHARDS);
    assertThat(view.shards().get(SHARD))
        .isEqualTo(new ShardRow(SHARD, relay, claim.token(), claim.epoch(), false));
    assertThat(view.shards().get(0)).isEqualTo(new ShardRow(0, null, null, 0, false));
    assertThat(view.maintenance().owner()).isNull();
    assertThat(view.maintenance().epoch()).isZero();
  }

  @Test
  void registering_again_keeps_the_counter() {
    UUID node = nodes.register(NodeRole.RELAY);
    PgFixture.await(store.heartbeat(node));
    PgFixture.await(store.register(node, "again", NodeRole.RELAY));

    assertThat(nodes.view().counterOf(node)).hasValue(1L);
  }

  @Test
  void a_heartbeat_tells_a_node_that_it_has_been_removed() {
    UUID node = nodes.register(NodeRole.RELAY);
    assertThat(PgFixture.await(store.heartbeat(node))).isTrue();

    assertThat(PgFixture.await(store.remove(node, null))).isTrue();

    assertThat(PgFixture.await(store.heartbeat(node))).isFalse();
  }

  @Test
  void a_node_that_has_moved_since_it_was_looked_at_is_not_removed() {
    UUID node = nodes.register(NodeRole.RELAY);
    PgFixture.await(store.heartbeat(node));

    assertThat(PgFixture.await(store.remove(node, 0L))).isFalse();
    assertThat(PgFixture.await(store.remove(node, 1L))).isTrue();
  }

  @Test
  void of_many_that_claim_a_shard_at_once_one_wins() {
    List<UUID> claimers = new ArrayList<>();
    for (int i = 0; i < CLAIMERS; i++) {
      claimers.add(nodes.register(NodeRole.RELAY));
    }
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      ShardRow seen = nodes.row(shard);
      List<Future<Optional<Claim>>> claims = new ArrayList<>();
      claimers.forEach(node -> claims.add(store.claim(node, seen, null)));

      List<Claim> won = claims.stream().map(PgFixture::await).flatMap(Optional::stream).toList();

      assertThat(won).as("winners of shard %d", shard).hasSize(1);
      assertThat(nodes.row(shard).token()).isEqualTo(won.get(0).token());
      assertThat(won.get(0).epoch()).isEqualTo(1);
    }
  }

  @Test
  void the_epoch_rises_above_that_of_every_receipt() {
    Claim first = nodes.claim(SHARD);
    pg.execute(
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)"
            + " values (2, 41, 1, pg_current_snapshot(), 0, 0, 0),"
            + " (3, 99, 1, pg_current_snapshot(), 0, 0, 0)");

    Claim second = nodes.claim(SHARD);

    assertThat(first.epoch()).isEqualTo(1);
    assertThat(second.epoch()).isEqualTo(42);
    assertThat(second.token()).isNotEqualTo(first.token());
  }

  @Test
  void an_owner_whose_counter_has_moved_is_not_robbed() {
    UUID owner = nodes.register(NodeRole.RELAY);
    nodes.tryClaim(owner, SHARD).orElseThrow();
    UUID claimer = nodes.register(NodeRole.RELAY);
    ShardRow seen = nodes.row(SHARD);
    PgFixture.await(store.heartbeat(owner));

    assertThat(PgFixture.await(store.claim(claimer, seen, 0L))).isEmpty();
    assertThat(nodes.row(SHARD)).isEqualTo(seen);
  }

  @Test
  void an_owner_that_is_registered_is_not_robbed_by_one_who_thinks_it_is_gone() {
    UUID owner = nodes.register(NodeRole.RELAY);
    nodes.tryClaim(owner, SHARD).orElseThrow();
    UUID claimer = nodes.register(NodeRole.RELAY);

    assertThat(PgFixture.await(store.claim(claimer, nodes.row(SHARD), null))).isEmpty();
  }

  @Test
  void an_owner_whose_counter_stands_still_is_replaced_and_so_is_one_that_is_gone() {
    UUID owner = nodes.register(NodeRole.RELAY);
    nodes.tryClaim(owner, SHARD).orElseThrow();
    UUID second = nodes.register(NodeRole.RELAY);
    assertThat(PgFixture.await(store.claim(second, nodes.row(SHARD), 0L))).isPresent();

    PgFixture.await(store.remove(second, null));
    UUID third = nodes.register(NodeRole.RELAY);
    assertThat(PgFixture.await(store.claim(third, nodes.row(SHARD), null)))
        .hasValueSatisfying(claim -> assertThat(claim.epoch()).isEqualTo(3));
  }

  @Test
  void what_was_decided_on_an_old_view_is_not_done() {
    ShardRow seen = nodes.row(SHARD);
    nodes.claim(SHARD);
    UUID late = nodes.register(NodeRole.RELAY);

    assertThat(PgFixture.await(store.claim(late, seen, null))).isEmpty();
  }

  @Test
  void a_node_that_is_not_registered_cannot_claim() {
    assertThat(PgFixture.await(store.claim(UUID.randomUUID(), nodes.row(SHARD), null))).isEmpty();
  }

  @Test
  void a_claim_does_not_wait_for_a_receipt_that_is_being_written() throws SQLException {
    Connection writing = pg.connect(PgFixture.NODE);
    writing.setAutoCommit(false);
    PgFixture.execute(
        writing, "select pg_advisory_xact_lock_shared(millrace.lock_class(), " + SHARD + ")");
    UUID node = nodes.register(NodeRole.RELAY);
    assertThat(nodes.tryClaim(node, SHARD)).isEmpty();

    writing.commit();

    assertThat(nodes.tryClaim(node, SHARD)).isPresent();
  }

  @Test
  void a_shard_is_released_by_its_token_only() {
    Claim claim = nodes.claim(SHARD);
    Claim forged = new Claim(UUID.randomUUID(), claim.epoch());

    assertThat(PgFixture.await(store.release(SHARD, forged))).isFalse();
    assertThat(PgFixture.await(store.release(0, claim))).isFalse();
    assertThat(nodes.row(SHARD).token()).isEqualTo(claim.token());
    assertThat(PgFixture.await(store.release(SHARD, claim))).isTrue();
    assertThat(nodes.row(SHARD)).isEqualTo(new ShardRow(SHARD, null, null, 1, false));
    assertThat(PgFixture.await(store.release(SHARD, claim))).isFalse();
  }
}
