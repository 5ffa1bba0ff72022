package io.millrace.core.ring;

/** When the ring turns, grows, shrinks and is cleaned. */
public record RingPolicy(Slots slots, Turn turn, Retention retention) {
  /**
   * How many slots are attached.
   *
   * @param min never fewer, even if idle
   * @param max never more: the cost of a pass grows with them, so slots grow instead
   * @param freeMin free ones kept ahead of need
   * @param surplusAfterMs a slot above the minimum that was free for so long goes, in milliseconds
   */
  public record Slots(int min, int max, int freeMin, long surplusAfterMs) {}

  /**
   * When the hot slot is closed.
   *
   * @param bytesMax at this size
   * @param ageMaxMs at this age if it is not empty, in milliseconds
   */
  public record Turn(long bytesMax, long ageMaxMs) {}

  /**
   * How long published slots are kept: as long as both allow.
   *
   * @param ms for so long, in milliseconds
   * @param bytesMax all of them together, the oldest go first
   */
  public record Retention(long ms, long bytesMax) {}
}
