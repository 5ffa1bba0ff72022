package io.millrace.core.ring;

import java.util.List;
import java.util.Optional;

/**
 * The ring, read in one statement.
 *
 * @param current the slot that the sequence names: the truth about where new messages go
 * @param slots every slot, one that is detached and not yet dropped included
 * @param hotIsEmpty whether the current slot holds no visible message
 */
public record RingView(int current, List<Slot> slots, boolean hotIsEmpty) {
  public RingView {
    slots = List.copyOf(slots);
  }

  public Optional<Slot> inState(SlotState state) {
    return slots.stream().filter(s -> s.state() == state).findFirst();
  }

  public long count(SlotState state) {
    return slots.stream().filter(s -> s.state() == state).count();
  }

  /** How many are part of the ring. */
  public long attached() {
    return slots.size() - count(SlotState.DETACHED);
  }

  public Optional<Slot> slot(int number) {
    return slots.stream().filter(s -> s.slot() == number).findFirst();
  }
}
