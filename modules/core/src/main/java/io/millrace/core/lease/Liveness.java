package io.millrace.core.lease;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Which nodes an observer believes to be alive. A node is dead when its counter has not moved for
 * the lease length on the observer's own monotonic clock; no wall clock decides, the database's
 * included. Time between two successful looks of the observer counts only up to {@code
 * countedMaxMs}: after an outage of the database nobody has been able to beat, and nobody is dead
 * for that.
 */
public final class Liveness {
  private final long leaseMs;
  private final long countedMaxMs;
  private final Map<UUID, Watched> watched = new HashMap<>();

  private record Watched(long counter, long silentMs) {}

  /**
   * @param leaseMs silence after which a node is dead, in milliseconds
   * @param countedMaxMs the most that one look may add to a node's silence, in milliseconds
   */
  public Liveness(long leaseMs, long countedMaxMs) {
    this.leaseMs = leaseMs;
    this.countedMaxMs = countedMaxMs;
  }

  /**
   * Takes in what a successful look found.
   *
   * @param sinceLastLookMs the observer's own time since its last successful look; 0 at the first
   */
  public void look(ClusterView view, long sinceLastLookMs) {
    long counted = Math.min(Math.max(sinceLastLookMs, 0), countedMaxMs);
    Map<UUID, Watched> seen = new HashMap<>();
    for (NodeCount node : view.nodes()) {
      Watched before = watched.get(node.node());
      long silentMs =
          before == null || before.counter() != node.counter() ? 0 : before.silentMs() + counted;
      seen.put(node.node(), new Watched(node.counter(), silentMs));
    }
    watched.clear();
    watched.putAll(seen);
  }

  /** Registered and not dead. */
  public boolean isAlive(UUID node) {
    Watched w = watched.get(node);
    return w != null && w.silentMs() < leaseMs;
  }

  public Set<UUID> alive() {
    return watched.keySet().stream().filter(this::isAlive).collect(Collectors.toUnmodifiableSet());
  }
}
