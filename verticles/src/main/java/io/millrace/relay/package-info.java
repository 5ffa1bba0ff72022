/**
 * Reads the shards that this node owns and publishes what it finds: one {@link
 * io.millrace.relay.ShardRelay} a shard.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.relay;
