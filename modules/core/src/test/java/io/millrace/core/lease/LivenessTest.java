package io.millrace.core.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LivenessTest {
  private static final long LEASE_MS = 5_000;
  private static final long COUNTED_MAX_MS = 1_500;
  private static final UUID A = new UUID(1, 1);
  private static final UUID B = new UUID(1, 2);

  private final Liveness liveness = new Liveness(LEASE_MS, COUNTED_MAX_MS);

  @Test
  void a_node_is_alive_from_the_first_look_on() {
    liveness.look(view(count(A, 0)), 0);

    assertThat(liveness.alive()).containsExactly(A);
  }

  @Test
  void a_node_that_was_never_seen_is_not_alive() {
    assertThat(liveness.isAlive(A)).isFalse();
  }

  @Test
  void a_node_whose_counter_moves_is_alive_for_ever() {
    for (long counter = 0; counter < 100; counter++) {
      liveness.look(view(count(A, counter)), 1_000);
      assertThat(liveness.isAlive(A)).isTrue();
    }
  }

  @Test
  void a_node_whose_counter_stands_still_is_dead_after_the_lease_and_not_before() {
    liveness.look(view(count(A, 7)), 0);
    for (int second = 1; second < 5; second++) {
      liveness.look(view(count(A, 7)), 1_000);
      assertThat(liveness.isAlive(A)).as("after %d s", second).isTrue();
    }
    liveness.look(view(count(A, 7)), 1_000);

    assertThat(liveness.isAlive(A)).isFalse();
  }

  @Test
  void the_time_before_the_counter_last_moved_does_not_count() {
    liveness.look(view(count(A, 1)), 0);
    for (int look = 0; look < 4; look++) {
      liveness.look(view(count(A, 1)), 1_000);
    }
    liveness.look(view(count(A, 2)), 1_000);
    for (int look = 0; look < 4; look++) {
      liveness.look(view(count(A, 2)), 1_000);
    }

    assertThat(liveness.isAlive(A)).isTrue();
  }

  @Test
  void a_counter_that_went_back_has_moved() {
    liveness.look(view(count(A, 9)), 0);
    for (int look = 0; look < 4; look++) {
      liveness.look(view(count(A, 9)), 1_000);
    }
    liveness.look(view(count(A, 3)), 1_000);
    liveness.look(view(count(A, 3)), 1_000);

    assertThat(liveness.isAlive(A)).isTrue();
  }

  @Test
  void an_outage_of_the_observer_counts_only_as_one_look() {
    liveness.look(view(count(A, 7)), 0);
    liveness.look(view(count(A, 7)), 3_600_000);
    assertThat(liveness.isAlive(A)).isTrue();

    liveness.look(view(count(A, 7)), 3_600_000);
    liveness.look(view(count(A, 7)), 3_600_000);
    assertThat(liveness.isAlive(A)).as("after 3 looks of at most 1500 ms each").isTrue();

    liveness.look(view(count(A, 7)), 3_600_000);
    assertThat(liveness.isAlive(A)).isFalse();
  }

  @Test
  void a_clock_that_goes_back_takes_nothing_away() {
    liveness.look(view(count(A, 7)), 0);
    for (int look = 0; look < 4; look++) {
      liveness.look(view(count(A, 7)), COUNTED_MAX_MS);
      liveness.look(view(count(A, 7)), -60_000);
    }

    assertThat(liveness.isAlive(A)).isFalse();
  }

  @Test
  void a_node_that_left_is_not_alive_and_is_as_new_when_it_comes_back() {
    liveness.look(view(count(A, 7), count(B, 1)), 0);
    for (int look = 0; look < 4; look++) {
      liveness.look(view(count(A, 7), count(B, 2 + look)), 1_000);
    }
    liveness.look(view(count(B, 9)), 1_000);
    assertThat(liveness.alive()).containsExactly(B);

    liveness.look(view(count(A, 7), count(B, 10)), 1_000);
    assertThat(liveness.alive()).containsExactlyInAnyOrder(A, B);
  }

  private static NodeCount count(UUID node, long counter) {
    return new NodeCount(node, "node", NodeRole.RELAY, counter);
  }

  private static ClusterView view(NodeCount... nodes) {
    return new ClusterView(List.of(nodes), List.of(), new MaintenanceRow(null, 0));
  }
}
