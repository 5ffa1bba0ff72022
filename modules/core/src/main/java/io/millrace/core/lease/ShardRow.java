package io.millrace.core.lease;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who owns a shard, as an observer read it. Owner and token are null together: the shard is free.
 */
public record ShardRow(
    int shard, @Nullable UUID owner, @Nullable UUID token, long epoch, boolean paused) {}
