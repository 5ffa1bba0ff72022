package io.millrace.core.ring;

import java.util.ArrayList;
import java.util.List;

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
    for (Slot slot : view.slots()) {
      addCleaning(slot, policy, steps);
    }
    boolean isDue = addTurn(view, policy, steps);
    addGrowth(view, policy, steps);
    boolean canTurn = view.count(SlotState.FREE) > 0 || view.count(SlotState.NEXT) > 0;
    boolean canGrow =
        view.slots().size() < policy.slotsMax() || view.count(SlotState.ATTACHING) > 0;
    return new RingPlan(steps, isDue && !canTurn && !canGrow);
  }

  private static void addCleaning(Slot slot, RingPolicy policy, List<RingStep> steps) {
    switch (slot.state()) {
      case DRAINING ->
          steps.add(
              slot.isClosed()
                  ? new RingStep.CheckPublished(slot.slot())
                  : new RingStep.Close(slot.slot()));
      case PUBLISHED -> {
        if (slot.publishedAgeMs() >= policy.retentionMs()) {
          steps.add(new RingStep.Truncate(slot.slot()));
        }
      }
      case ATTACHING ->
          steps.add(
              slot.waitsNoted()
                  ? new RingStep.ConfirmAttached(slot.slot())
                  : new RingStep.NoteWaits(slot.slot()));
      case FREE, NEXT, HOT -> {}
    }
  }

  private static boolean addTurn(RingView view, RingPolicy policy, List<RingStep> steps) {
    boolean isDue =
        view.inState(SlotState.HOT)
            .map(
                hot ->
                    !view.hotIsEmpty()
                        && (hot.bytes() >= policy.slotBytesMax()
                            || hot.hotAgeMs() >= policy.slotAgeMaxMs()))
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
  private static void addGrowth(RingView view, RingPolicy policy, List<RingStep> steps) {
    boolean isNeeded =
        view.count(SlotState.FREE) < policy.freeSlotsMin() && view.count(SlotState.ATTACHING) == 0;
    if (isNeeded && view.slots().size() < policy.slotsMax()) {
      int unused = 0;
      while (view.slot(unused).isPresent()) {
        unused++;
      }
      steps.add(new RingStep.Attach(unused));
    }
  }
}
