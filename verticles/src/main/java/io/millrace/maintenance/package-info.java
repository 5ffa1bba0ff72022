/** Turns, grows and cleans the ring; one node of an installation at a time. */
@org.jspecify.annotations.NullMarked
package io.millrace.maintenance;
