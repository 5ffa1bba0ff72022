package io.millrace.bench.millrace;

import io.millrace.bench.spi.EffectTable;
import io.millrace.bench.spi.Subject;
import io.millrace.bench.spi.SubjectProcess;
import io.millrace.bench.spi.SubjectSettings;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.launcher.Millrace;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The process in which Millrace's inbox is measured. Option: {@code batch}, whether the handler
 * takes a batch or a message.
 */
public final class MillraceInboxMain implements Subject {
  private static final String CONSUMER = "bench";
  private static final String ONE = "insert into effect (aggregate_id, bytes) values ($1, $2)";
  private static final String MANY =
      "insert into effect (aggregate_id, bytes) select * from unnest($1::text[], $2::int[])";

  private final SubjectSettings settings;
  private final MillraceSettings millraceSettings;
  private final Vertx vertx = Vertx.vertx();
  private @Nullable Millrace inbox;

  private MillraceInboxMain(SubjectSettings settings) {
    this.settings = settings;
    this.millraceSettings = new MillraceSettings(settings, Map.of("relay.enabled", false));
  }

  public static void main(String[] arguments) {
    SubjectProcess.run(arguments, MillraceInboxMain::new);
  }

  @Override
  public Map<String, String> call(String command, Map<String, String> arguments) throws Exception {
    return switch (command) {
      case "describe" -> Map.of("text", description());
      case "lay" -> {
        millraceSettings.migrate();
        EffectTable.lay(settings);
        yield SubjectProcess.done();
      }
      case "start" -> {
        inbox =
            millraceSettings.start(
                Millrace.in(vertx, millraceSettings.config()).withConsumer(consumer()));
        yield SubjectProcess.done();
      }
      case "stop" -> {
        stop();
        yield SubjectProcess.done();
      }
      default -> throw SubjectProcess.unknown(command);
    };
  }

  private void stop() throws Exception {
    Millrace started = inbox;
    if (started != null) {
      MillraceSettings.await(started.stop());
      inbox = null;
    }
  }

  private boolean takesBatches() {
    return Boolean.parseBoolean(settings.text("batch"));
  }

  private String description() {
    return "InboxConsumer with a handler for "
        + (takesBatches() ? "a batch, whose effects are one statement" : "each message")
        + "; default configuration, up to %d messages a transaction"
            .formatted(millraceSettings.config().inbox().batchRowsMax());
  }

  private InboxConsumer consumer() {
    List<String> topics = List.of(settings.topic());
    return takesBatches()
        ? InboxConsumer.ofBatches(CONSUMER, topics, MillraceInboxMain::applyAll)
        : InboxConsumer.of(CONSUMER, topics, MillraceInboxMain::apply);
  }

  private static Future<Void> apply(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery(ONE)
        .execute(Tuple.of(message.keyText(), bytes(message)))
        .mapEmpty();
  }

  private static Future<Void> applyAll(List<InboxMessage> messages, InboxContext context) {
    String[] keys = messages.stream().map(InboxMessage::keyText).toArray(String[]::new);
    Integer[] bytes = messages.stream().map(MillraceInboxMain::bytes).toArray(Integer[]::new);
    return context
        .connection()
        .preparedQuery(MANY)
        .execute(Tuple.of(keys, (Object) bytes))
        .mapEmpty();
  }

  private static int bytes(InboxMessage message) {
    Payload payload = message.payload();
    return payload == null ? 0 : payload.size();
  }

  @Override
  public void close() {
    vertx.close();
  }
}
