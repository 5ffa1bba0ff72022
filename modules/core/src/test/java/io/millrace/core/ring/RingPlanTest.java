package io.millrace.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RingPlanTest {
  private static final long BYTES_MAX = 1_000;
  private static final long AGE_MAX_MS = 60_000;
  private static final long RETENTION_MS = 10_000;
  private static final long RETENTION_BYTES_MAX = 5_000;
  private static final long SURPLUS_AFTER_MS = 90_000;
  private static final RingPolicy POLICY =
      new RingPolicy(
          new RingPolicy.Slots(3, 5, 2, SURPLUS_AFTER_MS),
          new RingPolicy.Turn(BYTES_MAX, AGE_MAX_MS),
          new RingPolicy.Retention(RETENTION_MS, RETENTION_BYTES_MAX));

  private static final Slot HOT = hot(0, 10, 10);

  @Test
  void a_quiet_ring_with_enough_free_slots_needs_nothing() {
    RingPlan plan = plan(HOT, free(1), free(2));

    assertThat(plan.steps()).isEmpty();
    assertThat(plan.isFull()).isFalse();
  }

  @Test
  void a_hot_slot_that_is_large_enough_is_turned() {
    assertThat(plan(hot(0, 1, BYTES_MAX), free(1), free(2)).steps())
        .containsExactly(new RingStep.Prepare(1), new RingStep.Turn(1));
    assertThat(plan(hot(0, 1, BYTES_MAX - 1), free(1), free(2)).steps()).isEmpty();
  }

  @Test
  void a_hot_slot_that_is_old_enough_is_turned() {
    assertThat(plan(hot(0, AGE_MAX_MS, 1), free(1), free(2)).steps())
        .containsExactly(new RingStep.Prepare(1), new RingStep.Turn(1));
    assertThat(plan(hot(0, AGE_MAX_MS - 1, 1), free(1), free(2)).steps()).isEmpty();
  }

  @Test
  void an_empty_hot_slot_is_never_turned() {
    RingView view =
        new RingView(0, List.of(hot(0, AGE_MAX_MS * 9, BYTES_MAX * 9), free(1), free(2)), true);

    assertThat(RingPlan.of(view, POLICY).steps()).isEmpty();
    assertThat(RingPlan.of(view, POLICY).isFull()).isFalse();
  }

  @Test
  void a_slot_that_was_prepared_is_turned_to_even_if_nothing_is_due_any_more() {
    assertThat(plan(HOT, slot(1, SlotState.NEXT), free(2), free(3)).steps())
        .containsExactly(new RingStep.Turn(1));
  }

  @Test
  void when_the_sequence_is_ahead_of_the_states_nothing_else_is_done() {
    RingView view =
        new RingView(
            1,
            List.of(hot(0, AGE_MAX_MS, BYTES_MAX), slot(1, SlotState.NEXT), draining(2, true)),
            false);

    RingPlan plan = RingPlan.of(view, POLICY);

    assertThat(plan.steps()).containsExactly(new RingStep.Reconcile());
    assertThat(plan.isFull()).isFalse();
  }

  @Test
  void a_draining_slot_is_closed_first_and_then_asked_about() {
    assertThat(plan(HOT, draining(1, false), free(2), free(3)).steps())
        .containsExactly(new RingStep.Close(1));
    assertThat(plan(HOT, draining(1, true), free(2), free(3)).steps())
        .containsExactly(new RingStep.CheckPublished(1));
  }

  @Test
  void a_published_slot_is_emptied_when_its_retention_is_over() {
    assertThat(plan(HOT, published(1, RETENTION_MS - 1), free(2), free(3)).steps()).isEmpty();
    assertThat(plan(HOT, published(1, RETENTION_MS), free(2), free(3)).steps())
        .containsExactly(new RingStep.Truncate(1));
  }

  @Test
  void an_attached_slot_becomes_free_in_two_steps() {
    assertThat(plan(HOT, attaching(1, false), free(2)).steps())
        .containsExactly(new RingStep.NoteWaits(1));
    assertThat(plan(HOT, attaching(1, true), free(2)).steps())
        .containsExactly(new RingStep.ConfirmAttached(1));
  }

  @Test
  void slots_are_attached_ahead_of_need_one_at_a_time_with_the_lowest_unused_number() {
    assertThat(plan(HOT, free(1)).steps()).containsExactly(new RingStep.Attach(2));
    assertThat(plan(HOT, free(2)).steps()).containsExactly(new RingStep.Attach(1));
    assertThat(plan(HOT).steps()).containsExactly(new RingStep.Attach(1));
    assertThat(plan(HOT, attaching(1, true)).steps())
        .containsExactly(new RingStep.ConfirmAttached(1));
  }

  @Test
  void no_more_slots_are_attached_than_allowed() {
    assertThat(
            plan(HOT, draining(1, true), draining(2, true), draining(3, true), draining(4, true))
                .steps())
        .doesNotHaveAnyElementsOfTypes(RingStep.Attach.class);
  }

  @Test
  void a_full_ring_that_is_due_raises_the_alarm_and_goes_on() {
    Slot due = hot(0, AGE_MAX_MS, 1);
    RingPlan plan =
        plan(due, draining(1, true), draining(2, true), draining(3, true), published(4, 0));

    assertThat(plan.isFull()).isTrue();
    assertThat(plan.steps()).doesNotHaveAnyElementsOfTypes(RingStep.Turn.class);
  }

  @Test
  void a_full_ring_that_is_not_due_raises_no_alarm() {
    assertThat(
            plan(HOT, draining(1, true), draining(2, true), draining(3, true), published(4, 0))
                .isFull())
        .isFalse();
  }

  @Test
  void a_due_ring_that_can_still_grow_or_is_growing_raises_no_alarm() {
    Slot due = hot(0, AGE_MAX_MS, 1);

    assertThat(plan(due, draining(1, true)).isFull()).isFalse();
    assertThat(
            plan(due, draining(1, true), draining(2, true), draining(3, true), attaching(4, true))
                .isFull())
        .isFalse();
  }

  @Test
  void cleaning_comes_before_the_turn_and_growth_comes_last() {
    assertThat(
            plan(hot(0, AGE_MAX_MS, 1), published(1, RETENTION_MS), draining(2, true), free(3))
                .steps())
        .containsExactly(
            new RingStep.Truncate(1),
            new RingStep.CheckPublished(2),
            new RingStep.Prepare(3),
            new RingStep.Turn(3),
            new RingStep.Attach(4));
  }

  @Test
  void the_oldest_published_slots_go_before_their_time_when_all_are_too_large() {
    assertThat(plan(HOT, free(1), free(2), published(3, 5, 3_000), published(4, 9, 2_000)).steps())
        .isEmpty();
    assertThat(
            plan(HOT, published(1, 7, 2_000), published(2, 9, 1), published(3, 5, 3_001), free(4))
                .steps())
        .containsExactly(new RingStep.Truncate(1), new RingStep.Truncate(2));
  }

  @Test
  void the_highest_slot_that_was_free_for_long_goes_and_is_dropped_in_two_steps() {
    assertThat(plan(HOT, freeFor(1), freeFor(2), freeFor(3)).steps())
        .containsExactly(new RingStep.Detach(3));
    assertThat(plan(HOT, freeFor(1), freeFor(2), slot(3, SlotState.DETACHED)).steps())
        .containsExactly(new RingStep.Drop(3));
  }

  @Test
  void a_slot_is_no_surplus_while_it_may_be_needed() {
    Slot recent = new Slot(3, SlotState.FREE, false, true, SURPLUS_AFTER_MS - 1, 0);
    assertThat(plan(HOT, free(1), free(2), recent).steps()).as("free for a short time").isEmpty();
    assertThat(plan(HOT, freeFor(1), freeFor(2)).steps()).as("no more than the minimum").isEmpty();
    assertThat(plan(HOT, published(1, 0), published(2, 0), freeFor(3), freeFor(4)).steps())
        .as("no more free ones than are kept ready")
        .isEmpty();
    assertThat(plan(hot(0, AGE_MAX_MS, 1), freeFor(1), freeFor(2), freeFor(3)).steps())
        .as("one of them is being turned to")
        .containsExactly(new RingStep.Prepare(1), new RingStep.Turn(1));
  }

  @Test
  void a_detached_slot_counts_no_more_but_its_number_is_taken_until_it_is_dropped() {
    assertThat(
            plan(
                    HOT,
                    draining(1, true),
                    draining(2, true),
                    draining(3, true),
                    slot(4, SlotState.DETACHED))
                .steps())
        .contains(new RingStep.Drop(4), new RingStep.Attach(5));
  }

  @ParameterizedTest
  @EnumSource(SlotState.class)
  void the_current_slot_is_never_emptied_prepared_or_closed_while_it_is_hot(SlotState other) {
    RingPlan plan = plan(hot(0, AGE_MAX_MS, BYTES_MAX), slot(1, other), slot(2, other));

    assertThat(plan.steps())
        .doesNotContain(
            new RingStep.Truncate(0),
            new RingStep.Prepare(0),
            new RingStep.Close(0),
            new RingStep.CheckPublished(0));
  }

  private static RingPlan plan(Slot... slots) {
    return RingPlan.of(new RingView(0, List.of(slots), false), POLICY);
  }

  private static Slot hot(int number, long ageMs, long bytes) {
    return new Slot(number, SlotState.HOT, false, true, ageMs, bytes);
  }

  private static Slot free(int number) {
    return slot(number, SlotState.FREE);
  }

  private static Slot slot(int number, SlotState state) {
    return new Slot(number, state, false, true, 0, 0);
  }

  private static Slot draining(int number, boolean isClosed) {
    return new Slot(number, SlotState.DRAINING, isClosed, true, 0, 0);
  }

  private static Slot freeFor(int number) {
    return new Slot(number, SlotState.FREE, false, true, SURPLUS_AFTER_MS, 0);
  }

  private static Slot published(int number, long ageMs) {
    return published(number, ageMs, 0);
  }

  private static Slot published(int number, long ageMs, long bytes) {
    return new Slot(number, SlotState.PUBLISHED, true, true, ageMs, bytes);
  }

  private static Slot attaching(int number, boolean waitsNoted) {
    return new Slot(number, SlotState.ATTACHING, false, waitsNoted, 0, 0);
  }
}
