package io.millrace.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever is lost, postponed or reconfigured on the way, the buckets come to where they belong.
 */
class BucketPlanPropertyTest {
  private static final long HOUR = 3_600_000;

  private record Key(BucketParent parent, int bucket) {}

  /** A database that does a step as the functions do, or does not. */
  private static final class Model {
    final Random random;
    final Map<Key, BucketState> states = new LinkedHashMap<>();
    long nowMs = 400_000 * HOUR;
    long retentionMs = 10 * HOUR;
    int ahead = 3;
    int floor = (int) ((nowMs - retentionMs) / HOUR);

    Model(long seed) {
      this.random = new Random(seed);
    }

    BucketView view() {
      List<Bucket> buckets = new ArrayList<>();
      states.forEach(
          (key, state) ->
              buckets.add(
                  new Bucket(key.parent(), key.bucket(), state, state != BucketState.DETACHED, 0)));
      buckets.sort(Comparator.comparingInt(Bucket::bucket));
      return new BucketView(HOUR, nowMs, floor, retentionMs, ahead, buckets);
    }

    void round(BucketPolicy policy, double lost) {
      for (BucketStep step : BucketPlan.of(view(), policy).steps()) {
        if (random.nextDouble() >= lost) {
          apply(step);
        }
      }
    }

    private void apply(BucketStep step) {
      if (step instanceof BucketStep.Settings s) {
        retentionMs = s.retentionMs();
        ahead = s.bucketsAhead();
      } else if (step instanceof BucketStep.RaiseFloor) {
        floor = Math.max(floor, view().floorDue());
      } else if (step instanceof BucketStep.Attach s) {
        assertThat(s.bucket()).isGreaterThanOrEqualTo(floor);
        assertThat(states.put(new Key(s.parent(), s.bucket()), BucketState.ATTACHED)).isNull();
      } else if (step instanceof BucketStep.Announce s) {
        announce(new Key(s.parent(), s.bucket()));
      } else if (step instanceof BucketStep.NoteWaits s) {
        retire(new Key(s.parent(), s.bucket()), BucketState.READY, BucketState.RETIRING);
      } else if (step instanceof BucketStep.Detach s) {
        retire(new Key(s.parent(), s.bucket()), BucketState.RETIRING, BucketState.DETACHED);
      } else if (step instanceof BucketStep.Drop s) {
        retire(new Key(s.parent(), s.bucket()), BucketState.DETACHED, null);
      }
    }

    private void announce(Key key) {
      BucketState effect = states.get(new Key(BucketParent.EFFECT, key.bucket()));
      boolean isFirst = key.parent() == BucketParent.EFFECT || key.bucket() < floor;
      if (states.get(key) == BucketState.ATTACHED && (isFirst || effect == BucketState.READY)) {
        states.put(key, BucketState.READY);
      }
    }

    private void retire(Key key, BucketState from, BucketState to) {
      assertThat(key.bucket()).isLessThan(floor);
      assertThat(states.get(key)).isEqualTo(from);
      if (to == null) {
        states.remove(key);
      } else {
        states.put(key, to);
      }
    }
  }

  @Property(tries = 300)
  void buckets_end_up_ready_from_the_floor_to_those_ahead_and_nowhere_else(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 90) int lostPercent) {
    Model model = new Model(seed);
    BucketPolicy policy = new BucketPolicy(10 * HOUR, 3);
    int lowest = model.floor;
    for (int round = 0; round < 40; round++) {
      model.nowMs += (long) (model.random.nextDouble() * 3 * HOUR);
      if (model.random.nextInt(10) == 0) {
        policy =
            new BucketPolicy((1 + model.random.nextInt(20)) * HOUR, 1 + model.random.nextInt(5));
      }
      model.round(policy, lostPercent / 100.0);
      assertThat(model.floor).isGreaterThanOrEqualTo(lowest);
      lowest = model.floor;
    }
    for (int round = 0; round < 12; round++) {
      model.round(policy, 0);
    }

    BucketView view = model.view();
    assertThat(model.floor).isGreaterThanOrEqualTo(view.floorDue());
    assertThat(BucketPlan.of(view, policy).steps()).isEmpty();
    assertThat(BucketPlan.of(view, policy).missing()).isEmpty();
    for (int bucket = model.floor; bucket <= view.current() + policy.bucketsAhead(); bucket++) {
      assertThat(model.states)
          .containsEntry(new Key(BucketParent.INBOX, bucket), BucketState.READY)
          .containsEntry(new Key(BucketParent.EFFECT, bucket), BucketState.READY);
    }
    assertThat(model.states.keySet()).allMatch(key -> key.bucket() >= model.floor);
  }
}
