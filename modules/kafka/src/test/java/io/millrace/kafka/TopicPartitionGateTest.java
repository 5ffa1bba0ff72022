package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopicPartitionGateTest {
  private static final long WARM_NANOS_MAX = 1_000;

  private final TopicPartitionGate<Integer> gate = new TopicPartitionGate<>(WARM_NANOS_MAX);

  @Test
  void the_first_record_goes_alone_and_its_acknowledgement_lets_the_others_go() {
    add(1, 2, 3);

    assertThat(takeAll(0)).containsExactly(1);
    assertThat(gate.isProbing()).isTrue();
    gate.acknowledged(10);
    assertThat(gate.isProbing()).isFalse();
    assertThat(takeAll(10)).containsExactly(2, 3);
  }

  @Test
  void after_a_failed_first_record_the_next_goes_alone_again() {
    add(1, 2, 3);
    takeAll(0);
    gate.failed();

    assertThat(takeAll(0)).containsExactly(2);
  }

  @Test
  void after_a_failure_nothing_goes_until_all_in_flight_is_answered_and_then_one_alone() {
    warmUp();
    add(1, 2, 3);
    takeAll(10);
    add(4, 5);

    gate.failed();
    assertThat(takeAll(10)).isEmpty();
    gate.acknowledged(10);
    assertThat(takeAll(10)).isEmpty();
    gate.acknowledged(10);
    assertThat(takeAll(10)).containsExactly(4);
  }

  @Test
  void without_an_acknowledgement_for_long_one_record_goes_alone() {
    warmUp();
    add(1, 2);

    assertThat(takeAll(10 + WARM_NANOS_MAX)).containsExactly(1);
  }

  @Test
  void a_record_that_was_not_handed_over_proves_nothing() {
    add(1, 2, 3);
    takeAll(0);
    gate.returned();

    assertThat(takeAll(0)).containsExactly(2);
    gate.acknowledged(10);
    takeAll(10);
    gate.returned();
    add(4, 5);
    assertThat(takeAll(10)).containsExactly(4, 5);
  }

  @Test
  void records_that_are_put_back_last_first_are_taken_again_in_their_order() {
    warmUp();
    add(1, 2, 3);
    takeAll(10);
    add(4);
    gate.putBack(3);
    gate.putBack(2);

    assertThat(takeAll(10)).containsExactly(2, 3, 4);
  }

  @Test
  void a_lone_record_that_is_put_back_goes_alone_again() {
    add(1, 2);
    takeAll(0);
    gate.putBack(1);

    assertThat(takeAll(0)).containsExactly(1);
  }

  @Test
  void withdrawing_keeps_the_order_of_the_others() {
    add(1, 2, 3, 4);

    assertThat(gate.withdraw(n -> n % 2 == 0)).containsExactly(2, 4);
    assertThat(gate.head()).isEqualTo(1);
    takeAll(0);
    gate.acknowledged(0);
    assertThat(takeAll(0)).containsExactly(3);
    assertThat(gate.hasWaiting()).isFalse();
  }

  @Test
  void taking_what_may_not_be_taken_is_a_programming_error() {
    add(1, 2);
    takeAll(0);

    assertThatIllegalStateException()
        .isThrownBy(() -> gate.take(0))
        .withMessageContaining("PROBING");
  }

  private void warmUp() {
    add(0);
    takeAll(0);
    gate.acknowledged(10);
  }

  private void add(int... records) {
    for (int record : records) {
      gate.add(record);
    }
  }

  private List<Integer> takeAll(long nowNanos) {
    List<Integer> taken = new ArrayList<>();
    while (gate.mayTake(nowNanos)) {
      taken.add(gate.take(nowNanos));
    }
    return taken;
  }
}
