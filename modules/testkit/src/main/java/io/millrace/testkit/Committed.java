package io.millrace.testkit;

import java.util.UUID;

/**
 * A message whose transaction is known to have committed.
 *
 * @param revision the aggregate's own version number, counted from 1 without gaps
 */
public record Committed(UUID messageId, String aggregate, long revision) {}
