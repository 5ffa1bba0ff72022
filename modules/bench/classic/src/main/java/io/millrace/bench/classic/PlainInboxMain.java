package io.millrace.bench.classic;

import io.millrace.bench.spi.EffectTable;
import io.millrace.bench.spi.Subject;
import io.millrace.bench.spi.SubjectProcess;
import io.millrace.bench.spi.SubjectSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The process in which a plain consumer is measured: a transaction a message. Options: {@code
 * check}, whether it looks first or lets the insert tell; {@code threads}, consumers of the group.
 */
public final class PlainInboxMain implements Subject {
  private final SubjectSettings settings;
  private final ExecutorService threads;
  private final List<PlainInbox> consumers = new ArrayList<>();
  private final List<Future<?>> running = new ArrayList<>();

  private PlainInboxMain(SubjectSettings settings) {
    this.settings = settings;
    this.threads = Executors.newFixedThreadPool(settings.number("threads"));
  }

  public static void main(String[] arguments) {
    SubjectProcess.run(arguments, PlainInboxMain::new);
  }

  @Override
  public Map<String, String> call(String command, Map<String, String> arguments) throws Exception {
    return switch (command) {
      case "describe" -> Map.of("text", description());
      case "lay" -> {
        lay();
        yield SubjectProcess.done();
      }
      case "start" -> {
        for (int i = 0; i < settings.number("threads"); i++) {
          PlainInbox consumer = new PlainInbox(settings);
          consumers.add(consumer);
          running.add(threads.submit(consumer));
        }
        yield SubjectProcess.done();
      }
      case "stop" -> {
        stop();
        yield SubjectProcess.done();
      }
      default -> throw SubjectProcess.unknown(command);
    };
  }

  private String description() {
    return (PlainInbox.checksFirst(settings)
            ? "select from the inbox, and where there is no row insert into it and apply"
            : "insert into the inbox on conflict do nothing, and apply where a row was inserted")
        + "; a transaction a message, offsets committed for every poll, JDBC, %d consumers of one group"
            .formatted(settings.number("threads"));
  }

  private void lay() throws SQLException {
    EffectTable.lay(settings);
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table inbox (message_id uuid primary key, received_at timestamptz not null default now())");
    }
  }

  private void stop() throws Exception {
    consumers.forEach(PlainInbox::end);
    for (Future<?> consumer : running) {
      consumer.get();
    }
    consumers.clear();
    running.clear();
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
