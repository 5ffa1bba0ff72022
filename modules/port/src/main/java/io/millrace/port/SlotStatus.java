package io.millrace.port;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A slot as an operator looks at it. Times are the database's.
 *
 * @param state attaching, free, next, hot, draining or published
 * @param rows messages in it
 * @param isCounted whether {@code rows} was counted; else it is an estimate above 100,000
 * @param deadRows dead tuples by the statistics collector; of a healthy ring, only rolled-back
 *     inserts
 * @param bytes size of the table with its index and large values
 * @param oldestAt when its oldest message was appended; null: it has none
 * @param newestAt when its newest message was appended; null: it has none
 * @param postponed why the last attempt to clean it did not, for people; null: there was none
 */
public record SlotStatus(
    int slot,
    String state,
    boolean isCurrent,
    long rows,
    boolean isCounted,
    long deadRows,
    long bytes,
    @Nullable Instant oldestAt,
    @Nullable Instant newestAt,
    @Nullable Instant closedAt,
    @Nullable Instant publishedAt,
    @Nullable Instant lastVacuumAt,
    @Nullable String postponed) {}
