package io.millrace.port;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.ClusterView;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Nodes, heartbeats and claims. */
public interface ShardStore {
  Future<Void> register(UUID node, String name, NodeRole role);

  /** Advances the node's counter; false when the node has been removed as dead. */
  Future<Boolean> heartbeat(UUID node);

  Future<ClusterView> view();

  /**
   * Claims a shard if it is still as it was seen.
   *
   * @param seen what the decision was made on
   * @param ownerCounter the owner's counter in the same view; null: the owner's row was gone, or
   *     there was no owner
   * @return empty when somebody was faster, or a receipt is just being written
   */
  Future<Optional<Claim>> claim(UUID node, ShardRow seen, @Nullable Long ownerCounter);

  /** Gives a shard back; false when it was no longer this claim's. */
  Future<Boolean> release(int shard, Claim claim);

  /**
   * Removes a node that leaves, or one found dead.
   *
   * @param counter the counter at which it was found dead; null: it leaves by itself
   */
  Future<Boolean> remove(UUID node, @Nullable Long counter);
}
