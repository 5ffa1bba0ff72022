package io.millrace.writer;

import io.millrace.client.Addresses;
import io.millrace.client.Command;
import io.millrace.client.Outbox;
import io.millrace.core.config.WriterConfig;
import io.millrace.core.message.MessageRules;
import io.millrace.transaction.BoundedCall;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.sqlclient.Pool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the commands that arrive at {@link Addresses#COMMAND}: the change and its messages in one
 * transaction, then a nudge to the relays, then the reply. As many run at the same time as the pool
 * has connections; others wait in the pool's queue, within their time.
 *
 * <p>A caller who is told nothing, or that the outcome is unknown, repeats with the same command
 * id: what has run is not run again.
 *
 * <p>{@code start} completes when commands can arrive. {@code stop} takes no more of them and waits
 * for those that run, which takes about twice {@code writer.command_timeout_ms} at most as long as
 * the database answers.
 */
public final class WriterVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(WriterVerticle.class);
  private static final long REGISTRATION_MS_MAX = 5_000;

  private final Pool pool;
  private final Map<String, Command> commands = new HashMap<>();
  private final WriterConfig config;
  private final MessageRules rules;
  private @Nullable MessageConsumer<Object> consumer;
  private @Nullable CommandDesk desk;

  /**
   * Takes what it works with.
   *
   * @param pool stays the caller's to close; better the writer's own, since waiting commands may
   *     hold all of its connections
   * @param commands each of another name
   * @throws IllegalArgumentException if a name is given twice
   */
  public WriterVerticle(
      Pool pool, List<Command> commands, WriterConfig config, MessageRules rules) {
    this.pool = pool;
    this.config = config;
    this.rules = rules;
    for (Command command : commands) {
      if (this.commands.put(command.name(), command) != null) {
        throw new IllegalArgumentException("two commands are named '" + command.name() + "'");
      }
    }
  }

  @Override
  public Future<?> start() {
    CommandRun.Setting setting =
        new CommandRun.Setting(
            new BoundedCall(context, heldForMs -> {}),
            pool,
            Outbox.withoutNudges(rules), // they are gathered, and sent after the commit
            config.commandTimeoutMs(),
            config.commandRetentionDays());
    CommandDesk opened =
        new CommandDesk(commands, setting, new NudgeDebouncer(vertx, config.nudgeDelayMs()));
    MessageConsumer<Object> registered =
        vertx.eventBus().consumer(Addresses.COMMAND, opened::receive);
    desk = opened;
    consumer = registered;
    return bounded(registered.completion(), "commands of other nodes do not arrive");
  }

  /**
   * Only the cluster's part can fail or hang: what comes from this process arrives all the same.
   */
  private static Future<Void> bounded(Future<Void> registration, String otherwise) {
    return registration
        .timeout(REGISTRATION_MS_MAX, TimeUnit.MILLISECONDS)
        .recover(
            cause -> {
              LOG.warn("the cluster does not answer, {}: {}", otherwise, cause.getMessage());
              return Future.succeededFuture();
            });
  }

  @Override
  public Future<?> stop() {
    CommandDesk opened = desk;
    MessageConsumer<Object> registered = consumer;
    if (opened == null || registered == null) {
      return Future.succeededFuture();
    }
    return bounded(registered.unregister(), "others may still send commands here")
        .compose(unregistered -> opened.settle());
  }
}
