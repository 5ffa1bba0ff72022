package io.millrace.core.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Pausing takes a shard out of the plan, and nothing else changes in it. */
class PausedShardPropertyTest {
  private static final int NODES_MAX = 7;

  /** Owned by a live or a dead node or nobody, paused or not. */
  @Provide
  Arbitrary<List<ShardRow>> shards() {
    Arbitrary<ShardRow> one =
        Combinators.combine(
                Arbitraries.integers().between(-1, NODES_MAX - 1), Arbitraries.of(true, false))
            .as((owner, paused) -> row(0, owner < 0 ? null : node(owner), paused));
    return one.list()
        .ofMinSize(1)
        .ofMaxSize(50)
        .map(
            rows ->
                IntStream.range(0, rows.size())
                    .mapToObj(i -> row(i, rows.get(i).owner(), rows.get(i).paused()))
                    .toList());
  }

  @Property
  void the_others_are_spread_as_if_paused_shards_were_not_there(
      @ForAll("shards") List<ShardRow> shards, @ForAll @IntRange(min = 1, max = 7) int alive) {
    List<ShardRow> working = shards.stream().filter(s -> !s.paused()).toList();
    for (UUID me : nodes(alive)) {
      ShardPlan all = ShardPlan.of(me, nodes(alive), shards);
      ShardPlan withoutPaused = ShardPlan.of(me, nodes(alive), working);
      assertThat(all.claim()).isEqualTo(withoutPaused.claim());
      assertThat(all.release()).endsWith(withoutPaused.release().toArray(Integer[]::new));
    }
  }

  @Property
  void a_paused_shard_is_given_back_by_its_owner_and_claimed_by_nobody(
      @ForAll("shards") List<ShardRow> shards, @ForAll @IntRange(min = 1, max = 7) int alive) {
    for (UUID me : nodes(alive)) {
      ShardPlan plan = ShardPlan.of(me, nodes(alive), shards);
      assertThat(plan.claim()).noneMatch(ShardRow::paused);
      assertThat(plan.release())
          .doesNotHaveDuplicates()
          .containsAll(
              shards.stream()
                  .filter(s -> s.paused() && me.equals(s.owner()))
                  .map(ShardRow::shard)
                  .toList());
    }
  }

  private static Set<UUID> nodes(int alive) {
    Set<UUID> nodes = new LinkedHashSet<>();
    IntStream.range(0, alive).forEach(n -> nodes.add(node(n)));
    return nodes;
  }

  private static UUID node(int number) {
    return new UUID(1, number);
  }

  private static ShardRow row(int shard, UUID owner, boolean paused) {
    return new ShardRow(shard, owner, owner, 1, paused);
  }
}
