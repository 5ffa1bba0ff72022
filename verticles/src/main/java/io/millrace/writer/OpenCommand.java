package io.millrace.writer;

import io.millrace.client.CommandAnswer;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandResult;
import io.millrace.client.Outbox;
import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.millrace.transaction.LentConnection;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * What a command sees while it runs, and what is noted for its reply. Its lists belong to the
 * connection's context.
 */
final class OpenCommand implements CommandContext {
  private final UUID commandId;
  private final JsonObject arguments;
  private final LentConnection connection;
  private final Outbox outbox;
  private final List<Appended> messages = new ArrayList<>();
  private final List<Long> revisions = new ArrayList<>();
  private volatile boolean ended;

  OpenCommand(UUID commandId, JsonObject arguments, SqlConnection connection, Outbox outbox) {
    this.commandId = commandId;
    this.arguments = arguments;
    this.connection = new LentConnection(connection);
    this.outbox = outbox;
  }

  @Override
  public UUID commandId() {
    return commandId;
  }

  @Override
  public JsonObject arguments() {
    return arguments;
  }

  @Override
  public SqlConnection connection() {
    return connection;
  }

  @Override
  public Future<List<Appended>> append(NewMessage... newMessages) {
    return ended ? tooLate() : outbox.append(connection, newMessages).onSuccess(messages::addAll);
  }

  @Override
  public Future<Long> nextRevision(String type, String id, OptionalLong expected) {
    return ended
        ? tooLate()
        : outbox
            .nextRevision(connection, type, id, expected)
            .onSuccess(revisions::add)
            .recover(OpenCommand::asRefusal);
  }

  /** What is noted, once the last statement of the command has been answered. */
  CommandAnswer.Done done(CommandResult result) {
    return new CommandAnswer.Done(messages, revisions, result.body());
  }

  /** From now on the connection is no longer the command's. */
  void end() {
    ended = true;
    connection.takeBack();
  }

  private static <T> Future<T> asRefusal(Throwable failure) {
    return Future.failedFuture(
        WriterFailures.isUniqueViolation(failure)
            ? new CommandRefused(REVISION_CONFLICT, String.valueOf(failure.getMessage()))
            : failure);
  }

  private <T> Future<T> tooLate() {
    return Future.failedFuture(
        new IllegalStateException("the run of command_id " + commandId + " has ended"));
  }
}
