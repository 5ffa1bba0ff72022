package io.millrace.postgres;

import io.millrace.core.ring.RingPolicy;

/** Policies of the ring that tests want. */
final class Policies {
  private Policies() {}

  /** Keeps nothing that is published, and every slot it ever made. */
  static RingPolicy keepingNothing(int slotsMax, int freeMin, long slotBytesMax) {
    return new RingPolicy(
        new RingPolicy.Slots(slotsMax, slotsMax, freeMin, Long.MAX_VALUE),
        new RingPolicy.Turn(slotBytesMax, Long.MAX_VALUE),
        new RingPolicy.Retention(0, Long.MAX_VALUE));
  }

  /** Keeps nothing that is published, and no slot that is free without need. */
  static RingPolicy shrinking(int slotsMin, int slotsMax, long slotBytesMax) {
    return new RingPolicy(
        new RingPolicy.Slots(slotsMin, slotsMax, 1, 0),
        new RingPolicy.Turn(slotBytesMax, Long.MAX_VALUE),
        new RingPolicy.Retention(0, Long.MAX_VALUE));
  }
}
