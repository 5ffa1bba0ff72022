package io.millrace.core.ring;

/**
 * The state of a slot.
 *
 * <pre>
 *   attaching -> free -> next -> hot -> draining -> published -> free -> detached
 * </pre>
 *
 * It never decides what is read: relays read every attached slot, always. A detached one was empty,
 * and nobody can write to it.
 */
public enum SlotState {
  /** Attached, but running statements may still plan without it. */
  ATTACHING,
  /** Empty and waiting. */
  FREE,
  /** Chosen for the turn under way. */
  NEXT,
  /** Receives new messages. */
  HOT,
  /** Closed; some message in it is not yet published or parked. */
  DRAINING,
  /** Every message in it is published or parked; kept for the retention. */
  PUBLISHED,
  /** Empty and no part of the ring any more; to be dropped. */
  DETACHED
}
