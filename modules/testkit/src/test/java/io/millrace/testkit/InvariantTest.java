package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class InvariantTest {
  private final History history = new History();

  private UUID commit(String aggregate, long revision) {
    UUID id = UUID.randomUUID();
    history.committed(new Committed(id, aggregate, revision));
    return id;
  }

  private void deliver(UUID id, String aggregate, long revision) {
    history.delivered(
        new Delivered(id, "t", aggregate, revision, "t-0@" + history.delivered().size()));
  }

  @Test
  void a_history_in_which_everything_arrives_once_and_in_order_passes() {
    UUID first = commit("a", 1);
    UUID second = commit("a", 2);
    deliver(first, "a", 1);
    deliver(second, "a", 2);
    assertThatCode(() -> Invariant.check(history, Invariant.always())).doesNotThrowAnyException();
    assertThat(new NoDuplicates().violations(history)).isEmpty();
  }

  @Test
  void a_message_that_never_arrives_is_lost() {
    UUID id = commit("a", 1);
    assertThat(new NothingLost().violations(history))
        .singleElement()
        .asString()
        .contains(id.toString());
  }

  @Test
  void a_message_that_was_never_committed_is_found() {
    deliver(UUID.randomUUID(), "a", 1);
    assertThat(new NothingUncommitted().violations(history)).hasSize(1);
  }

  @Test
  void a_repeat_is_a_duplicate_and_no_disorder() {
    UUID first = commit("a", 1);
    UUID second = commit("a", 2);
    deliver(first, "a", 1);
    deliver(second, "a", 2);
    deliver(first, "a", 1);
    assertThat(new NoDuplicates().violations(history)).hasSize(1);
    assertThat(new OrderPerAggregate().violations(history)).isEmpty();
  }

  @Test
  void a_later_message_before_an_earlier_one_is_disorder() {
    UUID first = commit("a", 1);
    UUID second = commit("a", 2);
    deliver(second, "a", 2);
    deliver(first, "a", 1);
    assertThat(new OrderPerAggregate().violations(history)).isNotEmpty();
    assertThatThrownBy(() -> Invariant.check(history, Invariant.always()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("OrderPerAggregate");
  }

  @Test
  void aggregates_and_topics_have_orders_of_their_own() {
    deliver(commit("a", 1), "a", 1);
    deliver(commit("b", 1), "b", 1);
    UUID other = commit("a", 1);
    history.delivered(new Delivered(other, "other", "a", 1, "other-0@0"));
    assertThat(new OrderPerAggregate().violations(history)).isEmpty();
  }
}
