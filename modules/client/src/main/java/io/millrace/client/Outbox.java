package io.millrace.client;

import io.millrace.client.trace.OpenSpan;
import io.millrace.core.message.Appended;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Appends messages in the caller's own transaction: they exist if and only if it commits.
 *
 * <p>Lock the aggregate's row first and append last: the ids drawn by the append decide the order
 * within the aggregate. The connection must be in a transaction; without one every append commits
 * by itself.
 *
 * <p>Holds no state and may be used from any context; futures complete on the connection's context.
 *
 * <p>If the Vert.x traces and the caller's context belongs to a trace, the messages carry it on,
 * unless they have a {@code traceparent} of their own or no room for one.
 */
public final class Outbox {

  private static final Comparator<Appended> IN_ORDER = Comparator.comparingLong(Appended::id);

  private final MessageRules rules;
  private final Consumer<Nudge> nudges;

  private Outbox(MessageRules rules, Consumer<Nudge> nudges) {
    this.rules = rules;
    this.nudges = nudges;
  }

  /** With nudges over the event bus of {@code vertx}. */
  public static Outbox create(Vertx vertx, MessageRules rules) {
    return new Outbox(rules, nudge -> nudge.publish(vertx));
  }

  /**
   * Without nudges, for applications whose relays are out of reach: those find messages by polling.
   */
  public static Outbox withoutNudges(MessageRules rules) {
    return new Outbox(rules, nudge -> {});
  }

  /** As {@link #append(SqlConnection, List)}. */
  public Future<List<Appended>> append(SqlConnection connection, NewMessage... messages) {
    return append(connection, Arrays.asList(messages));
  }

  /**
   * Appends messages with one statement.
   *
   * @param connection in the caller's transaction
   * @param messages 1 to {@link MessageRules#MESSAGES_PER_APPEND_MAX}, their payloads together at
   *     most {@link MessageRules#PAYLOAD_BYTES_PER_APPEND_MAX} bytes
   * @return the appended messages in the order given, their ids rising; failed with {@link
   *     InvalidMessageException} before anything was sent, so that the transaction stays usable, or
   *     with the driver's failure, after which PostgreSQL lets the transaction only go back to a
   *     savepoint, and Vert.x's own {@link io.vertx.sqlclient.Transaction} only roll back
   */
  public Future<List<Appended>> append(SqlConnection connection, List<NewMessage> messages) {
    List<NewMessage> checked;
    try {
      checked = List.copyOf(messages);
      rules.check(checked);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    OpenSpan span = AppendTrace.begin(checked);
    List<NewMessage> carried = AppendTrace.carried(checked, span);
    boolean isOne = carried.size() == 1;
    return connection
        .preparedQuery((isOne ? Statement.APPEND_ONE : Statement.APPEND).text())
        .execute(isOne ? AppendValues.of(carried.get(0)) : AppendValues.of(carried))
        .map(Outbox::appended)
        .onComplete(appended -> span.end(appended.cause()));
  }

  /**
   * Hands out the next revision of an aggregate that has no version column of its own, and locks
   * the aggregate until the transaction ends. Call it, and wait for it, before the append.
   *
   * @param expected the revision that the caller has seen (0: none yet), or empty for any
   * @return the new revision, 1 for a new aggregate; failed with the driver's {@link
   *     io.vertx.sqlclient.DatabaseException} of SQLSTATE 23505 when the aggregate is not at the
   *     expected revision (which aborts the transaction), or with {@link InvalidMessageException}
   *     before anything was sent
   */
  public Future<Long> nextRevision(
      SqlConnection connection, String type, String id, OptionalLong expected) {
    Tuple values;
    try {
      rules.checkRevision(type, id, expected);
      values = Tuple.of(type, id, expected.isPresent() ? expected.getAsLong() : null);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return connection
        .preparedQuery(Statement.NEXT_REVISION.text())
        .execute(values)
        .map(rows -> rows.iterator().next().getLong("revision"));
  }

  /**
   * Tells the relays that there is something to read. Call it after the commit: before it they
   * would look in vain. Only a hint, which may get lost.
   */
  public void nudge(Collection<Appended> appended) {
    if (!appended.isEmpty()) {
      nudges.accept(Nudge.of(appended));
    }
  }

  private static List<Appended> appended(RowSet<Row> rows) {
    List<Appended> appended = new ArrayList<>(rows.size());
    for (Row row : rows) {
      appended.add(
          new Appended(row.getLong("id"), row.getUUID("message_id"), row.getInteger("shard")));
    }
    appended.sort(IN_ORDER);
    return List.copyOf(appended);
  }
}
