package io.millrace.core.ring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What maintenance does next.
 *
 * @param steps in this order, each of them harmless to repeat; one that fails postpones itself only
 * @param isFull the hot slot is due but no slot is free and no more may be attached: it goes on,
 *     and an alarm is raised
 */
public record RingPlan(List<RingStep> steps, boolean isFull) {
  public RingPlan {
    steps = List.copyOf(steps);
  }

  public static RingPlan of(RingView view, RingPolicy policy) {
    boolean sequenceIsAhead =
        view.slot(view.current()).map(s -> s.state() == SlotState.NEXT).orElse(false);
    if (sequenceIsAhead) {
      return new RingPlan(List.of(new RingStep.Reconcile()), false);
    }
    List<RingStep> steps = new ArrayList<>();
    Set<Integer> outOfSpace = outOfSpace(view, policy.retention());
    for (Slot slot : view.slots()) {
      addCleaning(slot, policy, outOfSpace, steps);
    }
    boolean isDue = addTurn(view, policy, steps);
    addGrowth(view, policy.slots(), steps);
    addShrinking(view, policy.slots(), steps);
    boolean canTurn = view.count(SlotState.FREE) > 0 || view.count(SlotState.NEXT) > 0;
    boolean canGrow = view.attached() < policy.slots().max() || view.count(SlotState.ATTACHING) > 0;
    return new RingPlan(steps, isDue && !canTurn && !canGrow);
  }

  /** Published slots that are too many bytes together, the oldest of them. */
  private static Set<Integer> outOfSpace(RingView view, RingPolicy.Retention retention) {
    Set<Integer> numbers = new TreeSet<>();
    long kept = 0;
    for (Slot slot :
        view.slots().stream()
            .filter(s -> s.state() == SlotState.PUBLISHED)
            .sorted(Comparator.comparingLong(Slot::stateAgeMs))
            .toList()) {
      kept += slot.bytes();
      if (kept > retention.bytesMax()) {
        numbers.add(slot.slot());
      }
    }
    return numbers;
  }

  private static void addCleaning(
      Slot slot, RingPolicy policy, Set<Integer> outOfSpace, List<RingStep> steps) {
    switch (slot.state()) {
      case DRAINING ->
          steps.add(
              slot.isClosed()
                  ? new RingStep.CheckPublished(slot.slot())
                  : new RingStep.Close(slot.slot()));
      case PUBLISHED -> {
        if (slot.stateAgeMs() >= policy.retention().ms() || outOfSpace.contains(slot.slot())) {
          steps.add(new RingStep.Truncate(slot.slot()));
        }
      }
      case ATTACHING ->
          steps.add(
              slot.waitsNoted()
                  ? new RingStep.ConfirmAttached(slot.slot())
                  : new RingStep.NoteWaits(slot.slot()));
      case DETACHED -> steps.add(new RingStep.Drop(slot.slot()));
      case FREE, NEXT, HOT -> {}
    }
  }

  private static boolean addTurn(RingView view, RingPolicy policy, List<RingStep> steps) {
    boolean isDue =
        view.inState(SlotState.HOT)
            .map(
                hot ->
                    !view.hotIsEmpty()
                        && (hot.bytes() >= policy.turn().bytesMax()
                            || hot.stateAgeMs() >= policy.turn().ageMaxMs()))
            .orElse(false);
    var prepared = view.inState(SlotState.NEXT);
    if (prepared.isPresent()) {
      steps.add(new RingStep.Turn(prepared.get().slot()));
    } else if (isDue) {
      view.inState(SlotState.FREE)
          .ifPresent(
              free -> {
                steps.add(new RingStep.Prepare(free.slot()));
                steps.add(new RingStep.Turn(free.slot()));
              });
    }
    return isDue;
  }

  /** One at a time: the next is attached when this one has become free. */
  private static void addGrowth(RingView view, RingPolicy.Slots limits, List<RingStep> steps) {
    boolean isNeeded =
        view.count(SlotState.FREE) < limits.freeMin() && view.count(SlotState.ATTACHING) == 0;
    if (isNeeded && view.attached() < limits.max()) {
      int unused = 0;
      while (view.slot(unused).isPresent()) {
        unused++;
      }
      steps.add(new RingStep.Attach(unused));
    }
  }

  /**
   * One at a time, and the one with the highest number, since a turn takes the lowest. Only what
   * was free for long: a ring that has shrunk too early has to grow again.
   */
  private static void addShrinking(RingView view, RingPolicy.Slots limits, List<RingStep> steps) {
    boolean hasSurplus =
        view.attached() > limits.min()
            && view.count(SlotState.FREE) > limits.freeMin()
            && view.count(SlotState.NEXT) == 0
            && steps.stream().noneMatch(RingStep.Prepare.class::isInstance);
    if (hasSurplus) {
      view.slots().stream()
          .filter(s -> s.state() == SlotState.FREE && s.stateAgeMs() >= limits.surplusAfterMs())
          .max(Comparator.comparingInt(Slot::slot))
          .ifPresent(surplus -> steps.add(new RingStep.Detach(surplus.slot())));
    }
  }
}
