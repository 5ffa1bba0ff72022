package io.millrace.inbox;

import io.millrace.client.InboxConsumer;
import io.millrace.client.Watched;
import io.millrace.client.trace.MessageTracer;
import io.millrace.core.config.InboxConfig;
import io.millrace.transaction.BoundedCall;
import io.vertx.core.Context;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a consumer share.
 *
 * @param tracer null: nothing is traced
 */
record ConsumerSetting(
    Context context,
    InboxConsumer consumer,
    InboxConfig config,
    InboxPorts ports,
    BoundedCall calls,
    Effects effects,
    Blame blame,
    Watched watched,
    InboxMetrics metrics,
    @Nullable MessageTracer tracer) {}
