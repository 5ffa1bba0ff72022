package io.millrace.postgres;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.MaintenanceRow;
import io.millrace.core.lease.NodeCount;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import io.millrace.port.ShardStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Nodes, heartbeats and claims. */
public final class PgShardStore implements ShardStore {
  private final PgDatabase database;

  public PgShardStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<Void> register(UUID node, String name, NodeRole role) {
    return database
        .run(Statement.REGISTER_NODE, Tuple.of(node, name, role.name().toLowerCase(Locale.ROOT)))
        .mapEmpty();
  }

  @Override
  public Future<Boolean> heartbeat(UUID node) {
    return database.runForOne(
        Statement.HEARTBEAT, Tuple.of(node), row -> row.getBoolean("is_known"));
  }

  @Override
  public Future<ClusterView> view() {
    return database.run(Statement.READ_CLUSTER, Tuple.tuple()).map(PgShardStore::toView);
  }

  private static ClusterView toView(RowSet<Row> rows) {
    List<NodeCount> nodes = new ArrayList<>();
    List<ShardRow> shards = new ArrayList<>();
    MaintenanceRow maintenance = new MaintenanceRow(null, 0);
    for (Row row : rows) {
      UUID uuid = row.getUUID("uuid");
      long number = row.getLong("number");
      switch (row.getString("kind")) {
        case "node" ->
            nodes.add(
                new NodeCount(
                    uuid,
                    row.getString("name"),
                    NodeRole.valueOf(row.getString("role").toUpperCase(Locale.ROOT)),
                    number));
        case "shard" ->
            shards.add(
                new ShardRow(
                    row.getInteger("shard"),
                    uuid,
                    row.getUUID("token"),
                    number,
                    row.getBoolean("paused")));
        default -> maintenance = new MaintenanceRow(uuid, number);
      }
    }
    return new ClusterView(nodes, shards, maintenance);
  }

  @Override
  public Future<Optional<Claim>> claim(UUID node, ShardRow seen, @Nullable Long ownerCounter) {
    Tuple values = Tuple.tuple();
    values
        .addInteger(seen.shard())
        .addUUID(node)
        .addLong(seen.epoch())
        .addUUID(seen.owner())
        .addLong(ownerCounter);
    return database.run(Statement.CLAIM_SHARD, values).map(PgShardStore::toClaim);
  }

  static Optional<Claim> toClaim(RowSet<Row> rows) {
    for (Row row : rows) {
      return Optional.of(new Claim(row.getUUID("token"), row.getLong("epoch")));
    }
    return Optional.empty();
  }

  @Override
  public Future<Boolean> release(int shard, Claim claim) {
    return database.runForOne(
        Statement.RELEASE_SHARD,
        Tuple.of(shard, claim.token()),
        row -> row.getBoolean("is_released"));
  }

  @Override
  public Future<Boolean> remove(UUID node, @Nullable Long counter) {
    return database.runForOne(
        Statement.REMOVE_NODE,
        Tuple.tuple().addUUID(node).addLong(counter),
        row -> row.getBoolean("is_removed"));
  }
}
