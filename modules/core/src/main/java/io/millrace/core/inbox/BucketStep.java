package io.millrace.core.inbox;

/** One step of the maintenance of buckets, a transaction of its own, on one parent at most. */
public sealed interface BucketStep {
  /** Stores the settings as configured. */
  record Settings(long retentionMs, int bucketsAhead) implements BucketStep {}

  /** Raises the floor to where it belongs. */
  record RaiseFloor() implements BucketStep {}

  /** Creates and attaches a bucket. */
  record Attach(BucketParent parent, int bucket) implements BucketStep {}

  /** Announces an attached bucket as ready. */
  record Announce(BucketParent parent, int bucket) implements BucketStep {}

  /**
   * Begins to retire a bucket, and writes down which running transactions may still write to it.
   */
  record NoteWaits(BucketParent parent, int bucket) implements BucketStep {}

  /** Detaches a retiring bucket, if those have ended. */
  record Detach(BucketParent parent, int bucket) implements BucketStep {}

  /** Drops a detached bucket. */
  record Drop(BucketParent parent, int bucket) implements BucketStep {}
}
