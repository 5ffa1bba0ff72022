/**
 * Turns, grows and cleans the ring, and makes and retires the inbox's buckets; one node of an
 * installation at a time.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.maintenance;
