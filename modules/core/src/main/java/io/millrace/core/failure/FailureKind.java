package io.millrace.core.failure;

/**
 * What a failure means for the messages it met. One class of each adapter decides it, by SQLSTATE
 * or exception class, never by text.
 */
public enum FailureKind {
  /**
   * The other side is away or busy (time-out, leader change, deadlock, lock time-out): wait with
   * jitter and repeat.
   */
  TRANSIENT,
  /**
   * This very message can never be accepted as it is (too large, cannot be serialised, invalid).
   */
  MESSAGE,
  /** The message's topic is missing or forbidden: other topics are not concerned. */
  TOPIC,
  /**
   * The connection was lost after the request had left: it may have taken effect. Settle by
   * looking, then repeat.
   */
  UNKNOWN_OUTCOME,
  /**
   * A programming or installation error (missing table, missing privilege): repeating does not help
   * by itself.
   */
  BROKEN
}
