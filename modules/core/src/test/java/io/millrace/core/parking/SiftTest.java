package io.millrace.core.parking;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.Messages;
import io.millrace.core.message.OutboxMessage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SiftTest {
  private final OutboxMessage a1 = Messages.of(1, "a", "orders");
  private final OutboxMessage b1 = Messages.of(2, "b", "orders");
  private final OutboxMessage a2 = Messages.of(3, "a", "orders");
  private final OutboxMessage a3 = Messages.of(4, "a", "refunds");

  @Test
  void without_anything_parked_everything_is_published() {
    Sift sift = Sift.of(List.of(a1, b1, a2), Set.of(), Map.of());
    assertThat(sift.publish()).containsExactly(a1, b1, a2);
    assertThat(sift.park()).isEmpty();
  }

  @Test
  void what_stands_behind_a_parked_message_of_its_aggregate_and_topic_is_parked() {
    Sift sift = Sift.of(List.of(a1, b1, a2, a3), Set.of(OrderKey.of(a1)), Map.of());
    assertThat(sift.publish()).containsExactly(b1, a3);
    assertThat(sift.park()).extracting(Parking::message).containsExactly(a1, a2);
    assertThat(sift.park()).extracting(Parking::kind).containsOnly(Parking.Kind.BEHIND);
  }

  @Test
  void a_hopeless_message_is_dead_and_its_followers_in_the_same_batch_stand_behind_it() {
    Sift sift = Sift.of(List.of(a1, b1, a2, a3), Set.of(), Map.of(1L, "no resolver"));
    assertThat(sift.publish()).containsExactly(b1, a3);
    assertThat(sift.park()).extracting(Parking::isDead).containsExactly(true, false);
    assertThat(sift.park().get(0).reason()).isEqualTo("no resolver");
  }

  @Test
  void a_drained_lane_publishes_nothing() {
    Sift sift = Sift.drained(List.of(a1, a2), "missing");
    assertThat(sift.publish()).isEmpty();
    assertThat(sift.park()).extracting(Parking::kind).containsOnly(Parking.Kind.LANE);
  }
}
