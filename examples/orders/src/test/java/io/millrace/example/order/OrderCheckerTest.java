package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class OrderCheckerTest {
  private final OrderChecker checker = new OrderChecker();

  @Test
  void an_order_is_open_until_its_last_event_has_arrived() {
    checker.placed("o");
    checker.arrived(UUID.randomUUID(), "o", 1);
    checker.arrived(UUID.randomUUID(), "o", 2);
    assertThat(checker.isComplete()).isFalse();
    assertThat(checker.counts().open()).isEqualTo(1);
    checker.arrived(UUID.randomUUID(), "o", 3);
    assertThat(checker.isComplete()).isTrue();
    assertThat(checker.counts().shipped()).isEqualTo(1);
  }

  @Test
  void everything_may_arrive_before_the_reply_of_the_command() {
    for (int revision = 1; revision <= 3; revision++) {
      checker.arrived(UUID.randomUUID(), "o", revision);
    }
    checker.placed("o");
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
  void an_event_that_was_made_twice_is_a_problem() {
    checker.arrived(UUID.randomUUID(), "o", 1);
    checker.arrived(UUID.randomUUID(), "o", 1);
    assertThat(checker.problems()).hasSize(1);
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
