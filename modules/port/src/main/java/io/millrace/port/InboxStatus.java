package io.millrace.port;

import java.util.List;

/**
 * The inbox as an operator looks at it.
 *
 * @param bucketMs the width of a bucket, in milliseconds
 * @param floor the oldest bucket that is kept
 * @param retentionMs how long ids are kept, in milliseconds
 * @param bucketsAhead buckets made before they are needed
 * @param buckets of both parents, the oldest first
 * @param parked what could not be applied, of each consumer and reason
 */
public record InboxStatus(
    long bucketMs,
    int floor,
    long retentionMs,
    int bucketsAhead,
    List<BucketStatus> buckets,
    List<ParkedStatus> parked) {
  public InboxStatus {
    buckets = List.copyOf(buckets);
    parked = List.copyOf(parked);
  }
}
