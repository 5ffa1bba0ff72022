package io.millrace.core.lease;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Which shards a node should claim and which it should give back. Every node computes its own part
 * from what it sees; shards spread evenly and move as little as possible: a node gives back only
 * what is above its share, and only while another live node is below its own.
 *
 * @param claim shards that are free or whose owner is dead, at most as many as this node is below
 *     its share
 * @param release shards of this node that are paused, or above its share
 */
public record ShardPlan(List<ShardRow> claim, List<Integer> release) {
  public ShardPlan {
    claim = List.copyOf(claim);
    release = List.copyOf(release);
  }

  /**
   * The part of one node.
   *
   * @param me this node
   * @param alive the live nodes, this one included
   * @param shards every shard; paused ones are claimed by nobody, given back by their owner, and
   *     count in nobody's share
   */
  public static ShardPlan of(UUID me, Set<UUID> alive, List<ShardRow> shards) {
    if (!alive.contains(me)) {
      return new ShardPlan(List.of(), List.of());
    }
    ShardPlan working = ofWorking(me, alive, shards.stream().filter(s -> !s.paused()).toList());
    Stream<Integer> paused =
        shards.stream().filter(s -> s.paused() && me.equals(s.owner())).map(ShardRow::shard);
    return new ShardPlan(
        working.claim(), Stream.concat(paused, working.release().stream()).toList());
  }

  private static ShardPlan ofWorking(UUID me, Set<UUID> alive, List<ShardRow> shards) {
    Map<UUID, Integer> owned = new HashMap<>();
    alive.forEach(node -> owned.put(node, 0));
    shards.forEach(s -> owned.computeIfPresent(ownerOrNobody(s), (node, n) -> n + 1));
    int claimedByOthers = 0;
    int mayOwn = 0;
    for (Map.Entry<UUID, Integer> share : shares(owned, shards.size()).entrySet()) {
      mayOwn = share.getValue();
      if (share.getKey().equals(me)) {
        break;
      }
      claimedByOthers += Math.max(0, mayOwn - owned.getOrDefault(share.getKey(), 0));
    }
    int mine = owned.getOrDefault(me, 0);
    List<ShardRow> claimable =
        shards.stream()
            .filter(s -> !alive.contains(ownerOrNobody(s)))
            .skip(claimedByOthers)
            .limit(Math.max(0, mayOwn - mine))
            .toList();
    List<Integer> surplus =
        shards.stream()
            .filter(s -> me.equals(s.owner()))
            .map(ShardRow::shard)
            .sorted(Comparator.reverseOrder())
            .limit(Math.max(0, mine - mayOwn))
            .toList();
    return new ShardPlan(claimable, surplus);
  }

  private static final UUID NOBODY = new UUID(0, 0);

  private static UUID ownerOrNobody(ShardRow shard) {
    UUID owner = shard.owner();
    return owner == null ? NOBODY : owner;
  }

  /**
   * How many shards each live node may own, by rank. Nodes that own most get the shares that are
   * one larger, so that an uneven division moves nothing.
   */
  private static Map<UUID, Integer> shares(Map<UUID, Integer> owned, int shards) {
    List<UUID> ranked =
        owned.keySet().stream()
            .sorted(
                Comparator.comparing((UUID n) -> -owned.getOrDefault(n, 0))
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    int base = shards / owned.size();
    int larger = shards % owned.size();
    Map<UUID, Integer> shares = new LinkedHashMap<>();
    for (UUID node : ranked) {
      shares.put(node, shares.size() < larger ? base + 1 : base);
    }
    return shares;
  }
}
