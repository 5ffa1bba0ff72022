package io.millrace.inbox;

import io.millrace.client.Outbox;
import io.millrace.core.failure.FailureKind;
import io.millrace.port.InboxStore;
import io.millrace.port.Source;
import io.millrace.port.TopicReader;
import io.vertx.sqlclient.Pool;
import java.util.function.Function;

/**
 * Everything outside that a consumer needs.
 *
 * @param pool the consumer's database, for its transactions
 * @param effects the same database, for what is recorded while a transaction is open: were it the
 *     same pool, full of transactions that wait for it, nobody would go on
 * @param failures what a failure of the database means to a handler's transaction
 */
public record InboxPorts(
    InboxStore store,
    Source source,
    TopicReader topics,
    Pool pool,
    Pool effects,
    Outbox outbox,
    Function<Throwable, FailureKind> failures) {}
