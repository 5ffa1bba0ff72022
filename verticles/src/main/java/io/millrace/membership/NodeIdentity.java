package io.millrace.membership;

import java.util.UUID;

/**
 * One life of one verticle in one process.
 *
 * @param uuid random for every start, so that a node that comes back is not taken for the one that
 *     went
 * @param name for people: the node's configured or generated name
 */
public record NodeIdentity(UUID uuid, String name) {}
