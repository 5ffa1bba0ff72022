package io.millrace.core.cursor;

/**
 * A long late range that is being worked off in chunks, towards a target that stays fixed while
 * chunks are published.
 *
 * <pre>
 *   none --(late range longer than a pass may read)--> Late --(position reaches head)--> Tail --(head reaches end)--> none
 * </pre>
 *
 * While it is {@link Late}, the cursor's {@code seen} stays the old one and nothing above {@code
 * head} is published. Then {@code seen} becomes the target, and in {@link Tail} everything that the
 * target sees above {@code head} follows before another sweep may begin; without that, back-to-back
 * sweeps would starve new rows.
 */
public sealed interface Sweep {
  /**
   * No row that the target sees has an id above this: the sequence's value, read after the target
   * was taken.
   */
  long end();

  /**
   * The late part.
   *
   * @param target the snapshot being swept towards
   * @param position late rows up to this id have been published
   */
  record Late(Snapshot target, long position, long end) implements Sweep {}

  /** The part above {@code head}; the cursor's {@code seen} is the target. */
  record Tail(long end) implements Sweep {}
}
