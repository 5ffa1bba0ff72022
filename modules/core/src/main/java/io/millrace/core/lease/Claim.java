package io.millrace.core.lease;

import java.util.UUID;

/**
 * What a claim gave: the right to read a shard, or to maintain the ring, until somebody else claims
 * it.
 *
 * @param token random for every claim; checked with the epoch wherever the owner writes
 * @param epoch rises with every change of owner
 */
public record Claim(UUID token, long epoch) {}
