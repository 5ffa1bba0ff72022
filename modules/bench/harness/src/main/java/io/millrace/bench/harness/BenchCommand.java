package io.millrace.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code millrace bench}: measures side by side and writes the report. */
@Command(
    name = "millrace bench",
    description = {
      "Starts PostgreSQL and Kafka, measures Millrace and other outboxes on them in turn, and writes a report.",
      "Nothing but the report is kept. Leave the machine alone meanwhile."
    },
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  private static final List<Scenario> ALL =
      List.of(
          new RelayScenario(),
          new LatencyScenario(),
          new CostScenario(),
          new HeldScenario(),
          new InboxScenario(),
          new TakeoverScenario());

  @Mixin private final BenchOptions options = new BenchOptions();

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** The exit code. */
  static int run(String... args) {
    return new CommandLine(new BenchCommand())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              command.getErr().println("millrace bench: " + failure.getMessage());
              return 1;
            })
        .execute(args);
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    List<Scenario> scenarios =
        ALL.stream().filter(scenario -> options.only.contains(scenario.name())).toList();
    try (Servers servers = Servers.start(options.postgres)) {
      Bench bench = new Bench(servers, options, System.out);
      Report report = new Report(bench, scenarios);
      for (Scenario scenario : scenarios) {
        scenario.run(bench);
        // After each, so that what was measured outlives a failure of what comes later.
        write(options.json, report.json());
        write(options.out(), report.markdown());
        for (var picture : scenario.pictures(bench).entrySet()) {
          write(options.out().resolveSibling(picture.getKey()), picture.getValue());
        }
      }
    }
    System.out.println("millrace bench: written to " + options.out() + " and " + options.json);
    return 0;
  }

  private static void write(Path file, String text) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.writeString(file, text);
  }
}
