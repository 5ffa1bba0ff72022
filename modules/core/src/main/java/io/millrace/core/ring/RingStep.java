package io.millrace.core.ring;

/** One step of maintenance, a transaction of its own. */
public sealed interface RingStep {
  /**
   * The states follow the sequence: a turn's transaction was lost after its setval had taken
   * effect.
   */
  record Reconcile() implements RingStep {}

  /** Draws the closed_xid of a slot that has stopped being current. */
  record Close(int slot) implements RingStep {}

  /** Chooses a free slot for the turn. */
  record Prepare(int slot) implements RingStep {}

  /** Makes the prepared slot current. */
  record Turn(int slot) implements RingStep {}

  /** Creates and attaches a new slot. */
  record Attach(int slot) implements RingStep {}

  /** Writes down which running transactions still plan without a new slot. */
  record NoteWaits(int slot) implements RingStep {}

  /** Makes a new slot free, if those have ended. */
  record ConfirmAttached(int slot) implements RingStep {}

  /** Asks the published-check about a draining slot, and marks it if the answer is yes. */
  record CheckPublished(int slot) implements RingStep {}

  /** Marks a draining slot as published: the published-check said yes. */
  record MarkPublished(int slot) implements RingStep {}

  /** Empties a published slot whose retention is over. */
  record Truncate(int slot) implements RingStep {}

  /** Takes a surplus slot out of the ring. */
  record Detach(int slot) implements RingStep {}

  /** Drops a slot that was taken out. */
  record Drop(int slot) implements RingStep {}
}
