package io.millrace.writer;

import io.millrace.client.Command;
import io.millrace.client.CommandAnswer;
import io.millrace.client.CommandFailure;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandRequest;
import io.millrace.client.CommandResult;
import io.millrace.client.Outbox;
import io.millrace.transaction.BoundedCall;
import io.millrace.transaction.Overdue;
import io.millrace.transaction.TransactionStep;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of one command, from taking a connection to giving it back. Runs on the writer's context.
 *
 * <p>The transaction: lock the id and look for an answer; if there is none, set a savepoint, call
 * the command, and record what it answered. A refusal goes back to the savepoint and is recorded;
 * every other failure rolls back and leaves nothing. A command that is not done in time has its
 * session ended, since it may go on using the connection.
 */
final class CommandRun {

  /**
   * What all runs of a writer share.
   *
   * @param calls makes the calls of commands
   * @param limitMs longest run, and longest statement in it
   * @param retentionDays how old an id may be
   */
  record Setting(BoundedCall calls, Pool pool, Outbox outbox, long limitMs, int retentionDays) {}

  private static final Logger LOG = LoggerFactory.getLogger(CommandRun.class);

  private final Setting setting;
  private final Command command;
  private final CommandRequest request;
  private final Arguments arguments;
  private final long deadlineNanos;

  CommandRun(Setting setting, Command command, CommandRequest request, Arguments arguments) {
    this.setting = setting;
    this.command = command;
    this.request = request;
    this.arguments = arguments;
    this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(setting.limitMs());
  }

  /**
   * Runs it.
   *
   * @return the outcome after the commit, once the connection is given back; failed with {@link
   *     CommandFailure}
   */
  Future<Outcome> start() {
    return setting
        .pool()
        .getConnection()
        .compose(
            connection ->
                inTransaction(connection).eventually(() -> connection.close().otherwiseEmpty()))
        .recover(failure -> Future.failedFuture(WriterFailures.of(request, failure)));
  }

  private Future<Outcome> inTransaction(SqlConnection connection) {
    // What ends a session fails its statements as well, and is reported there.
    connection.exceptionHandler(failure -> LOG.debug("the session was ended", failure));
    if (remainingMs() <= 0) {
      return Future.failedFuture(overdue()); // all of the time went by in the pool's queue
    }
    return TransactionStep.BEGIN
        .send(connection)
        .compose(begun -> answer(connection))
        .compose(
            outcome -> TransactionStep.COMMIT.send(connection).map(outcome),
            failure -> rolledBack(connection, failure));
  }

  /** The failure that led here is the one to report: a lost session rolls back by itself. */
  private static Future<Outcome> rolledBack(SqlConnection connection, Throwable failure) {
    return TransactionStep.ROLLBACK
        .send(connection)
        .transform(rolledBack -> Future.failedFuture(failure));
  }

  private Future<Outcome> answer(SqlConnection connection) {
    return limit(connection)
        .compose(limited -> recorded(connection))
        .compose(
            recorded ->
                recorded
                    .map(answer -> Future.succeededFuture(new Outcome(answer, true)))
                    .orElseGet(() -> firstAnswer(connection)));
  }

  private Future<?> limit(SqlConnection connection) {
    Tuple limit = Tuple.of(Long.toString(setting.limitMs()));
    return connection.preparedQuery(Statement.LIMIT_TRANSACTION.text()).execute(limit);
  }

  /** The answer of an earlier run. Waits for a run that goes on at the same time. */
  private Future<Optional<CommandAnswer>> recorded(SqlConnection connection) {
    Tuple values =
        Tuple.of(request.commandId(), request.name(), arguments.sha256(), setting.retentionDays());
    return connection
        .preparedQuery(Statement.BEGIN_COMMAND.text())
        .execute(values)
        .map(CommandRun::recorded)
        .recover(failure -> Future.failedFuture(WriterFailures.ofLookup(request, failure)));
  }

  private static Optional<CommandAnswer> recorded(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    Boolean refused = row.getBoolean("refused");
    return refused == null
        ? Optional.empty()
        : Optional.of(CommandAnswer.from(refused, new JsonObject(row.getBuffer("answer"))));
  }

  private Future<Outcome> firstAnswer(SqlConnection connection) {
    OpenCommand open =
        new OpenCommand(request.commandId(), arguments.json(), connection, setting.outbox());
    return simple(connection, Statement.SET_SAVEPOINT)
        .compose(set -> called(open))
        .onComplete(called -> open.end())
        .compose(
            result ->
                simple(connection, Statement.RELEASE_SAVEPOINT)
                    .map(released -> (CommandAnswer) open.done(result)),
            failure -> failed(connection, failure))
        .compose(answer -> record(connection, answer));
  }

  private Future<CommandAnswer> failed(SqlConnection connection, Throwable failure) {
    if (failure instanceof CommandRefused refused) {
      CommandAnswer answer =
          new CommandAnswer.Refusal(refused.code(), String.valueOf(refused.getMessage()));
      return simple(connection, Statement.ROLLBACK_TO_SAVEPOINT).map(answer);
    }
    if (failure instanceof Overdue) {
      return TransactionStep.END_SESSION
          .send(connection)
          .transform(ended -> Future.failedFuture(overdue()));
    }
    return Future.failedFuture(failure);
  }

  private Future<Outcome> record(SqlConnection connection, CommandAnswer answer) {
    Buffer text = answer.toJson().toBuffer();
    boolean refused = answer instanceof CommandAnswer.Refusal;
    Tuple values = Tuple.of(request.commandId(), request.name(), arguments.sha256(), refused, text);
    return connection
        .preparedQuery(Statement.FINISH_COMMAND.text())
        .execute(values)
        // Read back, so that the first caller is told exactly what later ones will be told.
        .map(rows -> new Outcome(CommandAnswer.from(refused, new JsonObject(text)), false));
  }

  private Future<CommandResult> called(OpenCommand open) {
    return setting.calls().call(remainingMs(), () -> notNull(command.run(open)));
  }

  private static Future<CommandResult> notNull(@Nullable Future<@Nullable CommandResult> run) {
    if (run == null) {
      return Future.failedFuture(new IllegalStateException("its run returned null"));
    }
    return run.compose(
        result ->
            result == null
                ? Future.failedFuture(new IllegalStateException("its result was null"))
                : Future.succeededFuture(result));
  }

  private static Future<RowSet<Row>> simple(SqlConnection connection, Statement statement) {
    return connection.query(statement.text()).execute();
  }

  private long remainingMs() {
    return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
  }

  private CommandFailure overdue() {
    return WriterFailures.overdue(request, setting.limitMs());
  }
}
