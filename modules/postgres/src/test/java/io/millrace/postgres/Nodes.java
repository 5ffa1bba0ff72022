package io.millrace.postgres;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import io.millrace.port.Receipt;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Nodes of a test: they register, claim whatever the cluster looks like, and write receipts. */
final class Nodes {
  private final PgShardStore shards;
  private final PgReceiptStore receipts;

  Nodes(PgDatabase database) {
    this.shards = new PgShardStore(database);
    this.receipts = new PgReceiptStore(database);
  }

  UUID register(NodeRole role) {
    UUID node = UUID.randomUUID();
    PgFixture.await(shards.register(node, "node-" + node, role));
    return node;
  }

  ClusterView view() {
    return PgFixture.await(shards.view());
  }

  ShardRow row(int shard) {
    return view().shards().get(shard);
  }

  /** With the owner's counter as it is now: the owner counts as dead. */
  Optional<Claim> tryClaim(UUID node, int shard) {
    ClusterView view = view();
    ShardRow row = view.shards().get(shard);
    Long counter = row.owner() == null ? null : view.counterOf(row.owner()).orElse(null);
    return PgFixture.await(shards.claim(node, row, counter));
  }

  Claim claim(int shard) {
    return tryClaim(register(NodeRole.RELAY), shard).orElseThrow();
  }

  Claim claimMaintenance(PgRingStore ring) {
    UUID node = register(NodeRole.MAINTENANCE);
    ClusterView view = view();
    UUID owner = view.maintenance().owner();
    Long counter = owner == null ? null : view.counterOf(owner).orElse(null);
    return PgFixture.await(ring.claim(node, view.maintenance(), counter)).orElseThrow();
  }

  Incarnation incarnation(int shard) {
    return PgFixture.await(receipts.load(shard, Receipt.MAIN_LANE)).incarnation();
  }

  static Receipt receipt(
      int shard, Claim claim, Incarnation life, long counter, Cursor cursor, long sequence) {
    return new Receipt(
        shard,
        Receipt.MAIN_LANE,
        claim,
        life,
        counter,
        cursor,
        sequence,
        0,
        null,
        null,
        List.of(),
        null,
        0);
  }
}
