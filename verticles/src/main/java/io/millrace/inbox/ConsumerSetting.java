package io.millrace.inbox;

import io.millrace.client.InboxConsumer;
import io.millrace.core.config.InboxConfig;
import io.millrace.transaction.BoundedCall;
import io.vertx.core.Context;

/** What all parts of a consumer share. */
record ConsumerSetting(
    Context context,
    InboxConsumer consumer,
    InboxConfig config,
    InboxPorts ports,
    BoundedCall calls,
    Effects effects,
    Blame blame,
    InboxMetrics metrics) {}
