package io.millrace.core.inbox;

/**
 * Which messages can be told from their repeats.
 *
 * @param bucketMs the width of a bucket, in milliseconds; fixed when the schema was laid
 * @param floor the oldest bucket that is kept; a message before it is parked
 * @param newest the newest bucket that is ready
 * @param retentionMs how long ids are kept, as maintenance was told last
 */
public record DedupWindow(long bucketMs, int floor, int newest, long retentionMs) {}
