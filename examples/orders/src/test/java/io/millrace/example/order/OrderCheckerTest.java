package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class OrderCheckerTest {
  private final OrderChecker checker = new OrderChecker();

  @Test
  void what_was_written_and_has_not_arrived_is_awaited() {
    checker.written(UUID.randomUUID());
    assertThat(checker.isComplete()).isFalse();
    assertThat(checker.counts().awaited()).isEqualTo(1);
  }

  @Test
  void a_message_may_arrive_before_its_commit_is_told() {
    UUID id = UUID.randomUUID();
    checker.arrived(id, "o", 1);
    checker.written(id);
    assertThat(checker.isComplete()).isTrue();
    assertThat(checker.problems()).isEmpty();
  }

  @Test
  void a_skipped_revision_is_a_problem() {
    checker.arrived(UUID.randomUUID(), "o", 1);
    checker.arrived(UUID.randomUUID(), "o", 3);
    assertThat(checker.problems())
        .singleElement()
        .asString()
        .contains("revision 2 was expected, 3 arrived");
  }

  @Test
  void a_repeat_is_counted_and_no_problem() {
    UUID id = UUID.randomUUID();
    checker.arrived(id, "o", 1);
    checker.arrived(id, "o", 1);
    assertThat(checker.counts().repeats()).isEqualTo(1);
    assertThat(checker.problems()).isEmpty();
  }
}
