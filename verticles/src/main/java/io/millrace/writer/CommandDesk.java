package io.millrace.writer;

import io.millrace.client.Command;
import io.millrace.client.CommandAnswer;
import io.millrace.client.CommandFailure;
import io.millrace.client.CommandFailure.Kind;
import io.millrace.client.CommandReply;
import io.millrace.client.CommandRequest;
import io.millrace.client.Nudge;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes requests, starts a run for each, nudges and replies. Lives on the writer's context. */
final class CommandDesk {

  /** Commands that run or wait for a connection; more are told to repeat later. */
  static final int COMMANDS_MAX = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(CommandDesk.class);

  private final Map<String, Command> commands;
  private final CommandRun.Setting setting;
  private final NudgeDebouncer nudges;
  private final Set<Future<Outcome>> running = new HashSet<>();

  CommandDesk(Map<String, Command> commands, CommandRun.Setting setting, NudgeDebouncer nudges) {
    this.commands = new TreeMap<>(commands);
    this.setting = setting;
    this.nudges = nudges;
  }

  /** Replies in every case, once. */
  void receive(Message<Object> message) {
    try {
      start(message, CommandRequest.from(message.body()));
    } catch (CommandFailure e) {
      reply(message, e);
    }
  }

  /** Completes when nothing runs any more and all nudges are sent; never fails. */
  Future<Void> settle() {
    return Future.join(List.copyOf(running))
        .transform(
            settled -> {
              nudges.flush();
              return Future.succeededFuture();
            });
  }

  private void start(Message<Object> message, CommandRequest request) {
    Command command = commands.get(request.name());
    if (command == null) {
      throw new CommandFailure(
          Kind.UNKNOWN_COMMAND,
          "name must be one of " + commands.keySet() + ", found '" + request.name() + "'");
    }
    if (running.size() >= COMMANDS_MAX) {
      throw new CommandFailure(
          Kind.UNAVAILABLE, COMMANDS_MAX + " commands run or wait already: repeat later");
    }
    Arguments arguments = Arguments.of(request.arguments());
    Future<Outcome> run = new CommandRun(setting, command, request, arguments).start();
    running.add(run);
    run.onComplete(outcome -> running.remove(run))
        .onSuccess(this::nudge)
        .onFailure(CommandDesk::log)
        // The run goes on: a caller who is told that its time is up may still find it done.
        .timeout(setting.limitMs(), TimeUnit.MILLISECONDS)
        .onSuccess(
            outcome -> message.reply(CommandReply.toJson(outcome.answer(), outcome.repeated())))
        .onFailure(failure -> reply(message, told(request, failure)));
  }

  private CommandFailure told(CommandRequest request, Throwable failure) {
    return failure instanceof TimeoutException
        ? WriterFailures.overdue(request, setting.limitMs())
        : WriterFailures.of(request, failure);
  }

  private void nudge(Outcome outcome) {
    if (!outcome.repeated() && outcome.answer() instanceof CommandAnswer.Done done) {
      nudges.add(Nudge.of(done.messages()));
    }
  }

  private static void reply(Message<Object> message, CommandFailure failure) {
    message.fail(failure.kind().failureCode(), failure.getMessage());
  }

  /** What is the request's own fault is the caller's to log. */
  private static void log(Throwable failure) {
    if (failure instanceof CommandFailure known
        && (known.kind() == Kind.INVALID || known.kind() == Kind.ID_REUSED)) {
      LOG.debug("{}", failure.getMessage());
    } else {
      LOG.warn("{}", failure.getMessage(), failure);
    }
  }
}
