package io.millrace.port;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A bucket as an operator looks at it. Times are the database's.
 *
 * @param parent inbox or effect
 * @param state attached, ready, retiring or detached
 * @param from the first moment of its messages
 * @param to the first moment after them
 * @param rows ids in it
 * @param isCounted whether {@code rows} was counted; else it is an estimate above 10,000
 * @param deadRows dead tuples by the statistics collector; of a healthy inbox, only rolled-back
 *     inserts
 * @param bytes size of the table with its index and large values
 * @param retiringAt when it began to retire; null: it has not
 * @param postponed why the last attempt to retire it did not, for people; null: there was none
 */
public record BucketStatus(
    String parent,
    int bucket,
    String state,
    Instant from,
    Instant to,
    long rows,
    boolean isCounted,
    long deadRows,
    long bytes,
    @Nullable Instant retiringAt,
    @Nullable String postponed) {}
