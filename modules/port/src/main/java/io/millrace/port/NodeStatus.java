package io.millrace.port;

import java.time.Instant;
import java.util.UUID;

/**
 * A registration of a node.
 *
 * @param role relay or maintenance
 * @param heartbeats since it has registered
 * @param shards that it owns
 * @param isMaintaining whether it is the one that turns the ring
 */
public record NodeStatus(
    UUID node,
    String name,
    String role,
    long heartbeats,
    Instant startedAt,
    long shards,
    boolean isMaintaining) {}
