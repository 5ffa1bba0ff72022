/**
 * Reading a shard without gaps, stalls or disorder: the cursor (seen, head), what one pass reads
 * from it, and the cursor that follows.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.core.cursor;
