package io.millrace.port;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Snapshot;

/** Where the outbox stands. Two equal snapshots of one incarnation see the same messages. */
public record Position(Snapshot now, long sequence, Incarnation incarnation) {}
