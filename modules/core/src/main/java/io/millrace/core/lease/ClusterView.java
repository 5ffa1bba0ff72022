package io.millrace.core.lease;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Nodes, shards and the owner of maintenance, read in one statement. */
public record ClusterView(
    List<NodeCount> nodes, List<ShardRow> shards, MaintenanceRow maintenance) {
  public ClusterView {
    nodes = List.copyOf(nodes);
    shards = List.copyOf(shards);
  }

  /** The counter that was read for a node; empty when the node has left. */
  public Optional<Long> counterOf(UUID node) {
    return nodes.stream().filter(n -> n.node().equals(node)).map(NodeCount::counter).findFirst();
  }
}
