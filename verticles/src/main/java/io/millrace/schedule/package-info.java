/**
 * Loops that re-arm a one-shot timer when a round is done, and stop when the round in flight is.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.schedule;
