package io.millrace.inbox;

import io.millrace.client.Addresses;
import io.millrace.client.InboxBatchHandler;
import io.millrace.client.InboxMessage;
import io.millrace.client.Notice;
import io.millrace.client.trace.MessageTracer;
import io.millrace.core.inbox.Identity;
import io.millrace.transaction.Overdue;
import io.millrace.transaction.TransactionStep;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction of a consumer: claim the ids, have the effects of the new ones made, park what
 * cannot be applied, advance, commit. Runs on the consumer's context. Never fails: how it ended is
 * its outcome.
 *
 * <p>The advance is a compare-and-set that fails the transaction if the stripe stands elsewhere;
 * the commit is sent along with it and then only rolls back.
 */
final class BatchRun {
  private static final Logger LOG = LoggerFactory.getLogger(BatchRun.class);

  private final ConsumerSetting setting;
  private final Position position;
  private final List<Item> items;
  private final Sifting sifting;

  /**
   * @param items in the order of their offsets; none: only the position moves
   * @param verdict of the only item, if it is to be parked
   */
  BatchRun(
      ConsumerSetting setting, Position position, List<Item> items, @Nullable Verdict verdict) {
    this.setting = setting;
    this.position = position;
    this.items = items;
    this.sifting = new Sifting(position.chain(), setting.consumer().isOrdered(), verdict);
  }

  Future<Outcome> start() {
    if (setting.tracer() == null) {
      return run();
    }
    // What a handler does must be told from what all others do: a context of its own, and back.
    Promise<Outcome> back = Promise.promise();
    ((ContextInternal) setting.context())
        .duplicate()
        .dispatch(
            () ->
                run()
                    .onSuccess(
                        outcome ->
                            setting.context().runOnContext(arrived -> back.complete(outcome))));
    return back.future();
  }

  private Future<Outcome> run() {
    return setting
        .ports()
        .pool()
        .getConnection()
        .compose(
            connection ->
                inTransaction(connection).eventually(() -> connection.close().otherwiseEmpty()),
            // Who gets no connection has not begun.
            cause -> Future.succeededFuture(new Outcome.Retry(cause, false)))
        .otherwise(setting.blame()::of);
  }

  private Future<Outcome> inTransaction(SqlConnection connection) {
    // What ends a session fails its statements as well, and is reported there.
    connection.exceptionHandler(failure -> LOG.debug("the session was ended", failure));
    OpenMessages open = new OpenMessages(connection, setting.ports().outbox(), setting.effects());
    return claim(connection)
        .compose(statuses -> handle(open, statuses))
        .onComplete(handled -> open.end())
        .compose(handled -> parkAll(connection))
        .compose(
            parked -> commit(connection).onSuccess(outcome -> committed(outcome, open)),
            failure -> undo(connection, failure));
  }

  private void committed(Outcome outcome, OpenMessages open) {
    if (outcome instanceof Outcome.Applied) {
      open.nudge();
      sifting.reasons().forEach(setting.metrics()::parked);
      tell();
    }
  }

  private void tell() {
    String address = Addresses.applied(setting.consumer().name());
    if (setting.watched().contains(address)) {
      setting.watched().tell(address, sifting.messages().stream().map(BatchRun::notice).toList());
    }
  }

  private static Notice.Message notice(InboxMessage message) {
    return new Notice.Message(
        message.messageId(), message.aggregateType().orElse(""), message.aggregateId().orElse(""));
  }

  /** Begin, limits and claim leave in one go: three answers to wait for would triple the way. */
  private Future<List<String>> claim(SqlConnection connection) {
    Future<?> begun = TransactionStep.BEGIN.send(connection);
    String handlerMs = Long.toString(setting.config().handlerTimeoutMs());
    String lockMs = Long.toString(setting.config().lockTimeoutMs());
    Future<?> limited =
        connection
            .preparedQuery(Statement.LIMIT_TRANSACTION.text())
            .execute(Tuple.of(handlerMs, lockMs));
    Future<List<String>> claimed = claimIds(connection);
    return Future.join(begun, limited, claimed).map(all -> claimed.result());
  }

  private Future<List<String>> claimIds(SqlConnection connection) {
    List<Item> known = items.stream().filter(item -> item.finding().identity() != null).toList();
    if (known.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    List<Identity> identities = new ArrayList<>(known.size());
    known.forEach(item -> identities.add(item.finding().identity()));
    String[] topics = new String[known.size()];
    Arrays.fill(topics, position.chain().topic());
    Tuple values =
        Tuple.tuple()
            .addString(setting.consumer().name())
            .addArrayOfUUID(identities.stream().map(Identity::messageId).toArray(UUID[]::new))
            .addArrayOfLong(identities.stream().map(Identity::timeMs).toArray(Long[]::new))
            .addArrayOfString(topics)
            .addArrayOfBuffer(
                known.stream()
                    .map(item -> ParkValues.buffer(item.record().key()))
                    .toArray(Buffer[]::new))
            .addBoolean(setting.consumer().isOrdered());
    return connection
        .preparedQuery(Statement.CLAIM.text())
        .execute(values)
        .map(rows -> statuses(rows, known.size()));
  }

  private static List<String> statuses(RowSet<Row> rows, int count) {
    String[] statuses = new String[count];
    for (Row row : rows) {
      statuses[row.getInteger("ordinal") - 1] = row.getString("status");
    }
    return Arrays.asList(statuses);
  }

  private Future<Void> handle(OpenMessages open, List<String> statuses) {
    sifting.sift(items, statuses);
    List<InboxMessage> messages = sifting.messages();
    if (messages.isEmpty()) {
      return Future.succeededFuture();
    }
    long startNanos = System.nanoTime();
    return called(messages, open)
        .onComplete(
            handled -> setting.metrics().handled(messages.size(), System.nanoTime() - startNanos));
  }

  private Future<Void> called(List<InboxMessage> messages, OpenMessages open) {
    InboxBatchHandler handler = setting.consumer().handler();
    long limitMs = setting.config().handlerTimeoutMs();
    MessageTracer tracer = setting.tracer();
    if (tracer == null) {
      return setting.calls().call(limitMs, () -> handler.handle(messages, open));
    }
    HandlerSpans spans = new HandlerSpans(tracer, setting.consumer().name());
    return setting
        .calls()
        .call(limitMs, () -> spans.call(handler, messages, open))
        .onComplete(handled -> spans.end(handled.cause()));
  }

  private Future<?> parkAll(SqlConnection connection) {
    return sifting.parked().isEmpty()
        ? Future.succeededFuture()
        : connection.preparedQuery(Statement.PARK.text()).executeBatch(sifting.parked());
  }

  private Future<Outcome> commit(SqlConnection connection) {
    Future<?> advanced =
        connection.preparedQuery(Statement.ADVANCE.text()).execute(advanceValues());
    Future<?> committed = TransactionStep.COMMIT.send(connection);
    return Future.join(advanced, committed)
        .<Outcome>map(both -> sifting.outcome())
        .otherwise(failure -> uncommitted(advanced, committed));
  }

  private Tuple advanceValues() {
    return Tuple.tuple()
        .addString(position.chain().consumer())
        .addUUID(position.chain().topicId())
        .addInteger(position.chain().topicPartition())
        .addInteger(position.stripe())
        .addInteger(position.stripeCount())
        .addLong(position.from())
        .addLong(position.to())
        .addInteger(position.leaderEpoch());
  }

  /** A commit that was answered by nothing may have taken effect: look before going on. */
  private Outcome uncommitted(Future<?> advanced, Future<?> committed) {
    if (!committed.failed()) {
      return setting.blame().of(advanced.cause());
    }
    // A deferred constraint says no at the commit: an answer, and nothing has taken effect.
    return Blame.isRefusal(committed.cause())
        ? setting.blame().of(committed.cause())
        : new Outcome.Moved(
            "the outcome of a commit is unknown: " + committed.cause().getMessage());
  }

  /** The failure that led here is the one that counts: a lost session rolls back by itself. */
  private Future<Outcome> undo(SqlConnection connection, Throwable failure) {
    TransactionStep end =
        failure instanceof Overdue ? TransactionStep.END_SESSION : TransactionStep.ROLLBACK;
    return end.send(connection)
        .transform(ended -> Future.succeededFuture(blame(failure, end, ended.failed())));
  }

  /** Without a session to roll back, what failed before may have failed for want of it. */
  private Outcome blame(Throwable failure, TransactionStep end, boolean isLost) {
    Outcome outcome = setting.blame().of(failure);
    return isLost && end == TransactionStep.ROLLBACK && outcome instanceof Outcome.Blamed
        ? new Outcome.Retry(failure, false)
        : outcome;
  }
}
