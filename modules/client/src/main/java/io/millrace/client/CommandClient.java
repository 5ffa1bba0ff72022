package io.millrace.client;

import io.millrace.core.message.Uuid7;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Sends commands to a writer, on this node or another. Holds no state and may be used from any
 * context.
 */
public final class CommandClient {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Vertx vertx;
  private final long timeoutMs;

  /**
   * @param timeoutMs longest wait for a reply, at least 1; longer than the writer's {@code
   *     writer.command_timeout_ms}, or its own word about the outcome comes too late
   */
  public CommandClient(Vertx vertx, long timeoutMs) {
    if (timeoutMs < 1) {
      throw new IllegalArgumentException("timeoutMs must be at least 1, found " + timeoutMs);
    }
    this.vertx = vertx;
    this.timeoutMs = timeoutMs;
  }

  /**
   * An id for a new command: keep it, and repeat the command with it while its outcome is unknown.
   */
  public static UUID newCommandId() {
    return Uuid7.of(System.currentTimeMillis(), RANDOM.nextLong(), RANDOM.nextLong());
  }

  /**
   * Has a command run once.
   *
   * @param commandId from {@link #newCommandId}; the same for every repetition
   * @param arguments JSON values only
   * @return the reply after the commit; failed with {@link CommandRefused} when the command said
   *     no, else with {@link CommandFailure}: while {@link CommandFailure#mayBeRepeated} says so,
   *     the outcome is unknown and the command may be sent again with the same id and arguments
   */
  public Future<CommandReply> send(String name, UUID commandId, JsonObject arguments) {
    JsonObject body;
    try {
      body = new CommandRequest(name, commandId, onlyJson(arguments)).toJson();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return request(body, false)
        // A cluster that does not answer, or knows of no writer, says nothing about this process.
        .recover(
            failure -> mayHaveArrived(failure) ? Future.failedFuture(failure) : request(body, true))
        .recover(failure -> Future.failedFuture(CommandFailure.from(failure)))
        .map(message -> CommandReply.from(message.body()));
  }

  private Future<Message<JsonObject>> request(JsonObject body, boolean localOnly) {
    DeliveryOptions options =
        new DeliveryOptions().setSendTimeout(timeoutMs).setLocalOnly(localOnly);
    return vertx.eventBus().request(Addresses.COMMAND, body, options);
  }

  private static boolean mayHaveArrived(Throwable failure) {
    return failure instanceof ReplyException reply
        && (reply.failureType() == ReplyFailure.RECIPIENT_FAILURE
            || reply.failureType() == ReplyFailure.TIMEOUT);
  }

  private static JsonObject onlyJson(JsonObject arguments) {
    try {
      return arguments.copy();
    } catch (IllegalStateException e) {
      throw new CommandFailure(
          CommandFailure.Kind.INVALID,
          "arguments must be JSON values, found: " + e.getMessage(),
          e);
    }
  }
}
