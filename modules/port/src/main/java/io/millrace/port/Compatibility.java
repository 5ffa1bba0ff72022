package io.millrace.port;

/**
 * Which nodes may run on a schema.
 *
 * @param schemaVersion the newest script that has been run
 * @param compatibleFrom the lowest schema version that a node must have been made for
 */
public record Compatibility(int schemaVersion, int compatibleFrom) {}
