package io.millrace.core.inbox;

/**
 * How long ids are kept, and how early buckets are made.
 *
 * @param retentionMs in milliseconds after the message's own time
 * @param bucketsAhead buckets made before they are needed, at least 1
 */
public record BucketPolicy(long retentionMs, int bucketsAhead) {}
