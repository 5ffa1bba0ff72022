package io.millrace.core.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ShardPlanPropertyTest {
  private static final int NODES_MAX = 9;

  /**
   * @param alive how many nodes live: the first ones
   * @param owners who owns each shard: a live node, a dead one, or -1 for nobody
   */
  record Cluster(int alive, List<Integer> owners) {
    Set<UUID> nodes() {
      Set<UUID> nodes = new LinkedHashSet<>();
      IntStream.range(0, alive).forEach(n -> nodes.add(node(n)));
      return nodes;
    }

    List<ShardRow> shards() {
      List<ShardRow> rows = new ArrayList<>();
      for (int shard = 0; shard < owners.size(); shard++) {
        int owner = owners.get(shard);
        rows.add(row(shard, owner < 0 ? null : node(owner)));
      }
      return rows;
    }
  }

  @Provide
  Arbitrary<Cluster> clusters() {
    Arbitrary<List<Integer>> owners =
        Arbitraries.integers().between(-1, NODES_MAX - 1).list().ofMinSize(1).ofMaxSize(70);
    return Combinators.combine(Arbitraries.integers().between(1, NODES_MAX), owners)
        .as(Cluster::new);
  }

  @Property
  void from_any_state_shards_are_spread_evenly_after_two_rounds(
      @ForAll("clusters") Cluster cluster) {
    List<ShardRow> shards = round(cluster.nodes(), round(cluster.nodes(), cluster.shards()));

    Map<UUID, Integer> owned = owned(cluster.nodes(), shards);
    int base = shards.size() / cluster.alive();
    assertThat(owned.keySet()).isEqualTo(cluster.nodes());
    assertThat(owned.values())
        .allSatisfy(n -> assertThat(n).isBetween(base, base + 1))
        .satisfies(n -> assertThat(n.stream().mapToInt(i -> i).sum()).isEqualTo(shards.size()));
  }

  @Property
  void an_even_spread_moves_nothing(@ForAll("clusters") Cluster cluster) {
    List<ShardRow> even = round(cluster.nodes(), round(cluster.nodes(), cluster.shards()));

    for (UUID node : cluster.nodes()) {
      assertThat(ShardPlan.of(node, cluster.nodes(), even))
          .isEqualTo(new ShardPlan(List.of(), List.of()));
    }
  }

  @Property
  void no_two_live_nodes_claim_the_same_shard_and_none_claims_that_of_a_live_one(
      @ForAll("clusters") Cluster cluster) {
    Set<UUID> nodes = cluster.nodes();
    Set<Integer> claimed = new HashSet<>();
    for (UUID node : nodes) {
      for (ShardRow row : ShardPlan.of(node, nodes, cluster.shards()).claim()) {
        assertThat(nodes).doesNotContain(row.owner() == null ? new UUID(0, 0) : row.owner());
        assertThat(claimed.add(row.shard())).as("shard %d is claimed once", row.shard()).isTrue();
      }
    }
  }

  @Property
  void every_shard_without_a_live_owner_is_claimed_in_the_first_round(
      @ForAll("clusters") Cluster cluster) {
    assertThat(round(cluster.nodes(), cluster.shards()))
        .filteredOn(
            row -> {
              UUID before = cluster.shards().get(row.shard()).owner();
              return before == null || !cluster.nodes().contains(before);
            })
        .allSatisfy(row -> assertThat(cluster.nodes()).contains(row.owner()));
  }

  @Property
  void a_node_gives_back_only_its_own_and_only_what_is_above_its_share(
      @ForAll("clusters") Cluster cluster) {
    Map<UUID, Integer> owned = owned(cluster.nodes(), cluster.shards());
    int base = cluster.owners().size() / cluster.alive();
    for (UUID node : cluster.nodes()) {
      ShardPlan plan = ShardPlan.of(node, cluster.nodes(), cluster.shards());
      int mine = owned.getOrDefault(node, 0);
      assertThat(plan.release().size()).isLessThanOrEqualTo(Math.max(0, mine - base));
      assertThat(plan.release())
          .allSatisfy(s -> assertThat(cluster.shards().get(s).owner()).isEqualTo(node));
      assertThat(plan.claim().isEmpty() || plan.release().isEmpty()).isTrue();
      assertThat(mine + plan.claim().size()).isLessThanOrEqualTo(Math.max(mine, base + 1));
    }
  }

  @Property
  void a_node_that_does_not_live_does_nothing(@ForAll("clusters") Cluster cluster) {
    assertThat(ShardPlan.of(node(NODES_MAX), cluster.nodes(), cluster.shards()))
        .isEqualTo(new ShardPlan(List.of(), List.of()));
  }

  @Property
  void only_the_shards_of_a_node_that_dies_move(@ForAll("clusters") Cluster cluster) {
    Set<UUID> nodes = cluster.nodes();
    Set<UUID> survivors = new LinkedHashSet<>(nodes);
    UUID dead = node(0);
    survivors.remove(dead);
    if (survivors.isEmpty()) {
      return;
    }
    List<ShardRow> before = round(nodes, round(nodes, cluster.shards()));
    List<ShardRow> after = round(survivors, before);

    for (ShardRow row : before) {
      UUID owner = after.get(row.shard()).owner();
      if (dead.equals(row.owner())) {
        assertThat(survivors).contains(owner);
      } else {
        assertThat(owner).isEqualTo(row.owner());
      }
    }
  }

  @Property
  void a_node_that_comes_gets_its_share_and_nothing_else_moves(
      @ForAll("clusters") Cluster cluster) {
    Set<UUID> nodes = cluster.nodes();
    List<ShardRow> before = round(nodes, round(nodes, cluster.shards()));
    Set<UUID> more = new LinkedHashSet<>(nodes);
    UUID newcomer = node(NODES_MAX);
    more.add(newcomer);
    List<ShardRow> after = round(more, round(more, before));

    assertThat(before)
        .filteredOn(row -> !newcomer.equals(after.get(row.shard()).owner()))
        .allSatisfy(row -> assertThat(after.get(row.shard()).owner()).isEqualTo(row.owner()));
    assertThat(owned(more, after).get(newcomer)).isEqualTo(before.size() / more.size());
  }

  /** Every node acts on the same view: claims and releases of a round do not see each other. */
  private static List<ShardRow> round(Set<UUID> nodes, List<ShardRow> view) {
    List<ShardRow> after = new ArrayList<>(view);
    for (UUID node : nodes) {
      ShardPlan plan = ShardPlan.of(node, nodes, view);
      plan.release().forEach(shard -> after.set(shard, row(shard, null)));
      plan.claim().forEach(row -> after.set(row.shard(), row(row.shard(), node)));
    }
    return after;
  }

  private static Map<UUID, Integer> owned(Set<UUID> nodes, List<ShardRow> shards) {
    Map<UUID, Integer> owned = new HashMap<>();
    nodes.forEach(node -> owned.put(node, 0));
    shards.forEach(row -> owned.computeIfPresent(orNobody(row), (node, n) -> n + 1));
    return owned;
  }

  private static UUID orNobody(ShardRow row) {
    return row.owner() == null ? new UUID(0, 0) : row.owner();
  }

  private static UUID node(int number) {
    return new UUID(1, number);
  }

  private static ShardRow row(int shard, UUID owner) {
    return new ShardRow(shard, owner, owner, 1, false);
  }
}
