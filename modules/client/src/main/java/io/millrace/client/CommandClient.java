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
import java.util.concurrent.TimeUnit;

/**
 * Sends commands to a writer, on this node or another. Holds no state and may be used from any
 * context.
 */
public final class CommandClient {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Vertx vertx;
  private final long timeoutMs;
  private final RetryPolicy retries;

  /**
   * Sends each command once.
   *
   * @param timeoutMs longest wait for a reply, at least 1; longer than the writer's {@code
   *     writer.command_timeout_ms}, or its own word about the outcome comes too late. In a cluster
   *     that is silent, this process is asked after it, for as long again
   */
  public CommandClient(Vertx vertx, long timeoutMs) {
    this(vertx, timeoutMs, RetryPolicy.none());
  }

  /**
   * Sends a command again while its outcome is unknown or nobody takes it.
   *
   * @param timeoutMs as above, for each attempt
   */
  public CommandClient(Vertx vertx, long timeoutMs, RetryPolicy retries) {
    if (timeoutMs < 1) {
      throw new IllegalArgumentException("timeoutMs must be at least 1, found " + timeoutMs);
    }
    this.vertx = vertx;
    this.timeoutMs = timeoutMs;
    this.retries = retries;
  }

  /** The same client with other retries. */
  public CommandClient withRetries(RetryPolicy other) {
    return new CommandClient(vertx, timeoutMs, other);
  }

  /**
   * An id for a new command: keep it, and repeat the command with it while its outcome is unknown.
   */
  public static UUID newCommandId() {
    return Uuid7.of(System.currentTimeMillis(), RANDOM.nextLong(), RANDOM.nextLong());
  }

  /**
   * As {@link #send}, with the request and the answer as the application knows them.
   *
   * @return also failed with {@link CommandFailure.Kind#FAILED} when the answer cannot be read: the
   *     change is committed all the same
   */
  public <Q, A> Future<CommandDone<A>> send(CommandType<Q, A> type, UUID commandId, Q request) {
    JsonObject arguments;
    try {
      arguments = type.request().toJson(request);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return send(type.name(), commandId, arguments).map(reply -> done(type, reply));
  }

  private static <A> CommandDone<A> done(CommandType<?, A> type, CommandReply reply) {
    A answer;
    try {
      answer = type.answer().fromJson(reply.body());
    } catch (RuntimeException e) {
      throw new CommandFailure(
          CommandFailure.Kind.FAILED,
          "command " + type.name() + " is done, but its answer cannot be read: " + e.getMessage(),
          e);
    }
    return new CommandDone<>(answer, reply.messages(), reply.revisions(), reply.repeated());
  }

  /**
   * Has a command run once.
   *
   * @param commandId from {@link #newCommandId}; the same for every repetition
   * @param arguments JSON values only
   * @return the reply after the commit; failed with {@link CommandRefused} when the command said
   *     no, else with {@link CommandFailure}: while {@link CommandFailure#mayBeRepeated} says so,
   *     the command may be sent again with the same id and arguments
   */
  public Future<CommandReply> send(String name, UUID commandId, JsonObject arguments) {
    JsonObject body;
    try {
      body = new CommandRequest(name, commandId, onlyJson(arguments)).toJson();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return attempt(body, 1, false);
  }

  /**
   * @param isUnknown whether an earlier attempt may have run: then a later one that reached nobody
   *     leaves that unknown
   */
  private Future<CommandReply> attempt(JsonObject body, int number, boolean isUnknown) {
    return request(body, false)
        .recover(failure -> locally(body, failure))
        .map(message -> CommandReply.from(message.body()))
        .recover(failure -> again(body, number, isUnknown, failure));
  }

  /**
   * A cluster that does not answer, or knows of no writer, says nothing about this process. What
   * was silent may have arrived all the same: the id is the same, so nothing is done twice.
   */
  private Future<Message<JsonObject>> locally(JsonObject body, Throwable failure) {
    if (is(failure, ReplyFailure.RECIPIENT_FAILURE)) {
      return Future.failedFuture(failure);
    }
    boolean isSilence = is(failure, ReplyFailure.TIMEOUT);
    if (isSilence && !vertx.isClustered()) {
      return Future.failedFuture(failure);
    }
    return request(body, true)
        .recover(
            local ->
                Future.failedFuture(
                    isSilence && is(local, ReplyFailure.NO_HANDLERS) ? failure : local));
  }

  private Future<CommandReply> again(
      JsonObject body, int number, boolean wasUnknown, Throwable failure) {
    if (failure instanceof CommandRefused) {
      return Future.failedFuture(failure);
    }
    CommandFailure told = CommandFailure.from(failure);
    boolean isUnknown = wasUnknown || told.kind() == CommandFailure.Kind.UNAVAILABLE;
    if (!told.mayBeRepeated()) {
      // Another writer's "no" says nothing about an attempt before it, but for one about the id.
      boolean isOpen = wasUnknown && told.kind() != CommandFailure.Kind.ID_REUSED;
      return Future.failedFuture(isOpen ? told.afterAttempts(number, true) : told);
    }
    if (number == retries.attemptsMax()) {
      return Future.failedFuture(told.afterAttempts(number, isUnknown));
    }
    return vertx
        .timer(retries.delayMs(number), TimeUnit.MILLISECONDS)
        .compose(waited -> attempt(body, number + 1, isUnknown));
  }

  private Future<Message<JsonObject>> request(JsonObject body, boolean localOnly) {
    DeliveryOptions options =
        new DeliveryOptions().setSendTimeout(timeoutMs).setLocalOnly(localOnly);
    try {
      return vertx.eventBus().request(Addresses.COMMAND, body, options);
    } catch (RuntimeException e) {
      return Future.failedFuture(e); // the bus is closed
    }
  }

  private static boolean is(Throwable failure, ReplyFailure type) {
    return failure instanceof ReplyException reply && reply.failureType() == type;
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
