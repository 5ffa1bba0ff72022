package io.millrace.core.inbox;

/**
 * A bucket of one parent as maintenance sees it.
 *
 * @param bucket its number
 * @param isAttached whether its table is a partition of the parent
 * @param retiringMs since it began to retire, by the database's clock, in milliseconds; 0 if it has
 *     not
 */
public record Bucket(
    BucketParent parent, int bucket, BucketState state, boolean isAttached, long retiringMs) {}
