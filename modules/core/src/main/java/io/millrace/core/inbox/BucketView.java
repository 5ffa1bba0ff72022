package io.millrace.core.inbox;

import java.util.List;

/**
 * The buckets, read in one statement.
 *
 * @param bucketMs the width of a bucket, in milliseconds
 * @param nowMs the database's clock, in milliseconds since 1970
 * @param floor the oldest bucket that is kept
 * @param retentionMs how long ids are kept, as stored, in milliseconds
 * @param bucketsAhead buckets made before they are needed, as stored
 * @param buckets every bucket there is, in any state
 */
public record BucketView(
    long bucketMs,
    long nowMs,
    int floor,
    long retentionMs,
    int bucketsAhead,
    List<Bucket> buckets) {
  public BucketView {
    buckets = List.copyOf(buckets);
  }

  /** The bucket of now. */
  public int current() {
    return (int) Math.floorDiv(nowMs, bucketMs);
  }

  /** Where the floor belongs: every bucket below has ended longer ago than the retention. */
  public int floorDue() {
    return (int) Math.floorDiv(nowMs - retentionMs, bucketMs);
  }
}
