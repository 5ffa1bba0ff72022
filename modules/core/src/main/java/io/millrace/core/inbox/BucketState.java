package io.millrace.core.inbox;

/**
 * The state of a bucket.
 *
 * <pre>
 *   attached -> ready -> retiring -> detached -> gone
 * </pre>
 */
public enum BucketState {
  /** Attached, but not announced: nobody claims in it yet. */
  ATTACHED,
  /** Attached, and whoever sees that it is ready plans with it. */
  READY,
  /** Below the floor; transactions that began before the floor was raised may still write to it. */
  RETIRING,
  /** A table of its own that is about to be dropped. */
  DETACHED
}
