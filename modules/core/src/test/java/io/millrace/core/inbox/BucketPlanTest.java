package io.millrace.core.inbox;

import static io.millrace.core.inbox.BucketParent.EFFECT;
import static io.millrace.core.inbox.BucketParent.INBOX;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BucketPlanTest {
  private static final long DAY = 86_400_000;
  private static final int TODAY = 20_000;
  private static final BucketPolicy POLICY = new BucketPolicy(2 * DAY, 2);

  private final List<Bucket> buckets = new ArrayList<>();

  private void ready(int from, int to) {
    for (int bucket = from; bucket <= to; bucket++) {
      add(INBOX, bucket, BucketState.READY, true);
      add(EFFECT, bucket, BucketState.READY, true);
    }
  }

  private void add(BucketParent parent, int bucket, BucketState state, boolean isAttached) {
    buckets.add(new Bucket(parent, bucket, state, isAttached, 0));
  }

  /** Today at noon, all settings stored. */
  private BucketView view(int floor) {
    return new BucketView(DAY, TODAY * DAY + DAY / 2, floor, 2 * DAY, 2, buckets);
  }

  private BucketPlan plan(int floor) {
    return BucketPlan.of(view(floor), POLICY);
  }

  @Test
  void when_every_bucket_is_there_nothing_is_done() {
    ready(TODAY - 2, TODAY + 2);

    assertThat(plan(TODAY - 2)).isEqualTo(new BucketPlan(List.of(), List.of(), List.of()));
  }

  @Test
  void a_bucket_ahead_is_made_that_of_effects_first() {
    ready(TODAY - 2, TODAY + 1);

    BucketPlan plan = plan(TODAY - 2);

    assertThat(plan.steps())
        .containsExactly(
            new BucketStep.Attach(EFFECT, TODAY + 2),
            new BucketStep.Announce(EFFECT, TODAY + 2),
            new BucketStep.Attach(INBOX, TODAY + 2),
            new BucketStep.Announce(INBOX, TODAY + 2));
    assertThat(plan.missing()).as("the day after tomorrow can wait").isEmpty();
  }

  @Test
  void gaps_are_filled_today_first_and_are_missed() {
    ready(TODAY - 2, TODAY - 2);
    ready(TODAY + 2, TODAY + 2);

    BucketPlan plan = plan(TODAY - 2);

    assertThat(plan.missing()).containsExactly(TODAY - 1, TODAY, TODAY + 1);
    assertThat(plan.steps())
        .filteredOn(step -> step instanceof BucketStep.Attach)
        .extracting(step -> ((BucketStep.Attach) step).bucket())
        .containsExactly(TODAY, TODAY, TODAY + 1, TODAY + 1, TODAY - 1, TODAY - 1);
  }

  @Test
  void what_was_attached_and_not_announced_is_announced() {
    ready(TODAY - 2, TODAY);
    ready(TODAY + 2, TODAY + 2);
    add(EFFECT, TODAY + 1, BucketState.READY, true);
    add(INBOX, TODAY + 1, BucketState.ATTACHED, true);

    BucketPlan plan = plan(TODAY - 2);

    assertThat(plan.steps()).containsExactly(new BucketStep.Announce(INBOX, TODAY + 1));
    assertThat(plan.missing()).containsExactly(TODAY + 1);
  }

  @Test
  void a_bucket_whose_table_somebody_took_away_is_missed_and_never_made_anew() {
    ready(TODAY - 2, TODAY - 1);
    add(EFFECT, TODAY, BucketState.READY, true);
    add(INBOX, TODAY, BucketState.READY, false);
    ready(TODAY + 1, TODAY + 2);

    BucketPlan plan = plan(TODAY - 2);

    assertThat(plan.steps()).isEmpty();
    assertThat(plan.missing()).containsExactly(TODAY);
  }

  @Test
  void the_floor_is_raised_over_a_bucket_that_ended_longer_ago_than_the_retention() {
    ready(TODAY - 3, TODAY + 2);

    assertThat(plan(TODAY - 3).steps()).containsExactly(new BucketStep.RaiseFloor());
    assertThat(plan(TODAY - 2).steps())
        .as("its last message is kept for another half a day")
        .doesNotContain(new BucketStep.RaiseFloor());
  }

  @Test
  void the_floor_is_never_raised_by_a_retention_that_is_about_to_be_replaced() {
    ready(TODAY - 9, TODAY + 2);

    BucketPlan plan = BucketPlan.of(view(TODAY - 9), new BucketPolicy(9 * DAY, 2));

    assertThat(plan.steps()).containsExactly(new BucketStep.Settings(9 * DAY, 2));
  }

  @Test
  void a_longer_retention_brings_nothing_back() {
    ready(TODAY - 1, TODAY + 2);

    assertThat(plan(TODAY - 1).steps()).isEmpty();
  }

  @Test
  void below_the_floor_each_bucket_takes_its_next_step() {
    ready(TODAY, TODAY + 2);
    add(INBOX, TODAY - 4, BucketState.DETACHED, false);
    add(EFFECT, TODAY - 4, BucketState.RETIRING, true);
    add(INBOX, TODAY - 3, BucketState.READY, true);
    add(EFFECT, TODAY - 3, BucketState.ATTACHED, true);

    assertThat(plan(TODAY).steps())
        .containsExactly(
            new BucketStep.Drop(INBOX, TODAY - 4),
            new BucketStep.Detach(EFFECT, TODAY - 4),
            new BucketStep.NoteWaits(INBOX, TODAY - 3),
            new BucketStep.Announce(EFFECT, TODAY - 3));
  }

  @Test
  void a_bucket_that_cannot_be_retired_for_a_day_is_overdue() {
    ready(TODAY, TODAY + 2);
    Bucket stuck = new Bucket(INBOX, TODAY - 1, BucketState.RETIRING, true, DAY + 1);
    buckets.add(stuck);
    buckets.add(new Bucket(EFFECT, TODAY - 1, BucketState.RETIRING, true, DAY));

    assertThat(plan(TODAY).overdue()).containsExactly(stuck);
  }

  @Test
  void after_a_long_absence_so_many_are_made_in_one_round() {
    assertThat(plan(TODAY - 40).steps())
        .filteredOn(step -> step instanceof BucketStep.Attach)
        .hasSize(2 * BucketPlan.MADE_MAX)
        .startsWith(new BucketStep.Attach(EFFECT, TODAY), new BucketStep.Attach(INBOX, TODAY));
  }
}
