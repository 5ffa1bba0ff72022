/**
 * Who reads a shard: liveness by heartbeat counters, and which shards a node should claim or
 * release.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.core.lease;
