package io.millrace.port;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;

/**
 * A lane's cursor with the incarnation in which it was loaded and with what is held back in its
 * shard, read in one statement.
 *
 * @param counter the counter of that receipt; the shard's next one is above it
 * @param isAhead the stored snapshot is ahead of the server's own counter: this is a restored
 *     database, and reading it with this cursor would skip messages
 */
public record LoadedCursor(
    Cursor cursor, long counter, Incarnation incarnation, boolean isAhead, HeldBack heldBack) {}
