package io.millrace.writer;

import io.millrace.client.CommandAnswer;

/**
 * How a run of a command that was committed ended.
 *
 * @param answer as it was recorded
 * @param repeated whether an earlier run recorded it
 */
record Outcome(CommandAnswer answer, boolean repeated) {}
