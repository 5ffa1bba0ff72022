package io.millrace.relay;

/**
 * Where a shard's relay is.
 *
 * <pre>
 *   LOADING --> RUNNING --(any failure)--> WAITING --(delay, everything in flight settled)--> LOADING
 *   any --(stop)--> STOPPING --> STOPPED        any --(fenced, lease taken)--> STOPPED
 *   LOADING --(restored database)--> BROKEN
 * </pre>
 */
public enum ShardState {
  /** The cursor is being loaded from the newest receipt. */
  LOADING,
  RUNNING,
  /**
   * Something failed; nothing is read until everything in flight is settled and the delay is over.
   */
  WAITING,
  /** Reads no more, waits for what is in flight. */
  STOPPING,
  STOPPED,
  /** An invariant does not hold: only a person can go on from here. */
  BROKEN
}
