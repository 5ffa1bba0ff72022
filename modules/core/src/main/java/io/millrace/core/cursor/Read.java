package io.millrace.core.cursor;

import org.jspecify.annotations.Nullable;

/** What one pass asks of the database: one statement, bounded in rows, bytes and ids scanned. */
public sealed interface Read {
  /** Late rows of the cursor, then new ones, in the snapshot of now. */
  record Onward(Snapshot seen, long head) implements Read {}

  /**
   * Part of a sweep: rows with {@code from < id <= to} that one snapshot sees and another one does
   * not.
   *
   * @param visibleIn the sweep's target
   * @param hiddenFrom rows that this snapshot sees have been published already; null: none has
   */
  record Chunk(long from, long to, Snapshot visibleIn, @Nullable Snapshot hiddenFrom)
      implements Read {}
}
