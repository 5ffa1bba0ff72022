package io.millrace.core.inbox;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What maintenance does next to the buckets.
 *
 * @param steps in this order, each of them harmless to repeat; one that fails postpones itself only
 * @param missing buckets up to tomorrow's that are not ready: consumers stand still before their
 *     messages
 * @param overdue buckets that have been retiring for longer than {@link #RETIRING_MAX_MS}
 */
public record BucketPlan(List<BucketStep> steps, List<Integer> missing, List<Bucket> overdue) {
  /** A bucket that cannot be retired for so long needs a person. */
  public static final long RETIRING_MAX_MS = 86_400_000;

  /** Buckets made in one round; the rest follows in the next. */
  static final int MADE_MAX = 16;

  public BucketPlan {
    steps = List.copyOf(steps);
    missing = List.copyOf(missing);
    overdue = List.copyOf(overdue);
  }

  public static BucketPlan of(BucketView view, BucketPolicy policy) {
    boolean settingsHold =
        view.retentionMs() == policy.retentionMs() && view.bucketsAhead() == policy.bucketsAhead();
    List<BucketStep> steps = new ArrayList<>();
    if (!settingsHold) {
      steps.add(new BucketStep.Settings(policy.retentionMs(), policy.bucketsAhead()));
    }
    Known known = Known.of(view);
    addMissing(view, policy, known, steps);
    // The floor never goes down again: never by a retention that is about to be replaced.
    if (settingsHold && view.floorDue() > view.floor()) {
      steps.add(new BucketStep.RaiseFloor());
    }
    addRetirement(view, steps);
    List<Bucket> overdue =
        view.buckets().stream().filter(b -> b.retiringMs() > RETIRING_MAX_MS).toList();
    return new BucketPlan(steps, missing(view, known), overdue);
  }

  private static List<Integer> missing(BucketView view, Known known) {
    List<Integer> missing = new ArrayList<>();
    for (int bucket = view.floor(); bucket <= view.current() + 1; bucket++) {
      if (!known.isReady(bucket)) {
        missing.add(bucket);
      }
    }
    return missing;
  }

  /**
   * Tomorrow and onward first, then the gaps before it, the newest first: most messages are new.
   */
  private static void addMissing(
      BucketView view, BucketPolicy policy, Known known, List<BucketStep> steps) {
    List<Integer> wanted = new ArrayList<>();
    int last = view.current() + policy.bucketsAhead();
    for (int bucket = Math.max(view.floor(), view.current()); bucket <= last; bucket++) {
      wanted.add(bucket);
    }
    for (int bucket = view.current() - 1; bucket >= view.floor(); bucket--) {
      wanted.add(bucket);
    }
    wanted.stream()
        .filter(bucket -> !known.isReady(bucket))
        .limit(MADE_MAX)
        .forEach(
            bucket -> {
              // Who has claimed a message can record its effects.
              addMaking(known, BucketParent.EFFECT, bucket, steps);
              addMaking(known, BucketParent.INBOX, bucket, steps);
            });
  }

  private static void addMaking(
      Known known, BucketParent parent, int bucket, List<BucketStep> steps) {
    Optional<Bucket> found = known.bucket(parent, bucket);
    if (found.isEmpty()) {
      steps.add(new BucketStep.Attach(parent, bucket));
    }
    if (found.isEmpty() || found.get().state() == BucketState.ATTACHED) {
      steps.add(new BucketStep.Announce(parent, bucket));
    }
  }

  private static void addRetirement(BucketView view, List<BucketStep> steps) {
    view.buckets().stream()
        .filter(b -> b.bucket() < view.floor())
        .sorted(Comparator.comparingInt(Bucket::bucket).thenComparing(Bucket::parent))
        .map(BucketPlan::retirement)
        .forEach(steps::add);
  }

  private static BucketStep retirement(Bucket b) {
    return switch (b.state()) {
      case ATTACHED -> new BucketStep.Announce(b.parent(), b.bucket());
      case READY -> new BucketStep.NoteWaits(b.parent(), b.bucket());
      case RETIRING -> new BucketStep.Detach(b.parent(), b.bucket());
      case DETACHED -> new BucketStep.Drop(b.parent(), b.bucket());
    };
  }

  /** The buckets by parent and number. */
  private record Known(Map<BucketParent, Map<Integer, Bucket>> buckets) {
    static Known of(BucketView view) {
      Map<BucketParent, Map<Integer, Bucket>> known = new EnumMap<>(BucketParent.class);
      for (Bucket b : view.buckets()) {
        known.computeIfAbsent(b.parent(), parent -> new HashMap<>()).put(b.bucket(), b);
      }
      return new Known(known);
    }

    Optional<Bucket> bucket(BucketParent parent, int number) {
      return Optional.ofNullable(buckets.get(parent)).map(of -> of.get(number));
    }

    /** Whether messages of the bucket can be claimed and their effects recorded. */
    boolean isReady(int number) {
      return isReady(BucketParent.INBOX, number) && isReady(BucketParent.EFFECT, number);
    }

    private boolean isReady(BucketParent parent, int number) {
      return bucket(parent, number)
          .map(b -> b.state() == BucketState.READY && b.isAttached())
          .orElse(false);
    }
  }
}
