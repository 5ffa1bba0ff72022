package io.millrace.core.lease;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Who owns maintenance, as an observer read it. A null owner: nobody. */
public record MaintenanceRow(@Nullable UUID owner, long epoch) {}
