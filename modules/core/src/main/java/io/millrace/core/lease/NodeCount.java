package io.millrace.core.lease;

import java.util.UUID;

/** A registered node and its heartbeat counter, as an observer read them. */
public record NodeCount(UUID node, String name, NodeRole role, long counter) {}
