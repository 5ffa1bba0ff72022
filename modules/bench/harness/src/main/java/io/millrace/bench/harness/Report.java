package io.millrace.bench.harness;

import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;

/** The figures for people, and for programs. */
final class Report {
  private final Bench bench;
  private final List<Scenario> scenarios;
  private final Machine machine = Machine.read();
  private final String servers;
  private final LocalDate date = LocalDate.now(Clock.systemUTC());

  Report(Bench bench, List<Scenario> scenarios) {
    this.bench = bench;
    this.scenarios = scenarios;
    this.servers = bench.servers().describe();
  }

  String json() {
    JsonObject descriptions = new JsonObject();
    bench.descriptions().forEach(descriptions::put);
    return new JsonObject()
        .put("date", date.toString())
        .put("machine", machine.text())
        .put("command", bench.options().commandLine())
        .put("servers", servers)
        .put("subjects", descriptions)
        .put("figures", bench.figures().toJson())
        .encodePrettily();
  }

  String markdown() {
    String sections =
        scenarios.stream()
            .filter(scenario -> !bench.figures().of(scenario.name()).isEmpty())
            .map(scenario -> scenario.report(bench))
            .collect(Collectors.joining("\n"));
    return head() + sections + subjects();
  }

  private String head() {
    return """
        # Benchmarks

        Measured side by side: one machine, one run, the same PostgreSQL and the same Kafka for all, each subject in a
        process of its own with a heap of %s. This page is written by the command below; run it on your machine.

        Every measurement is repeated in rounds that take turns, and a ratio compares two subjects within one round: the
        median, with the least and the greatest of the rounds in brackets. Where the brackets of two subjects overlap, this
        run does not tell them apart. Database, broker, writers and relay share the processors, so absolute figures are those
        of this machine; ratios carry further.

            %s
        %s
        | | |
        |---|---|
        | date | %s |
        | machine | %s |
        | servers | %s |

        """
        .formatted(
            bench.options().heap,
            bench.options().commandLine(),
            bench.options().quick
                ? "\nA quick run: its counts are small, and its figures say no more than that everything works.\n"
                : "",
            date,
            machine.text(),
            servers);
  }

  private String subjects() {
    StringBuilder text =
        new StringBuilder("\n## Subjects\n\n| subject | how it works here |\n|---|---|\n");
    bench
        .descriptions()
        .forEach(
            (name, description) ->
                text.append("| %s | %s |%n".formatted(name, description.replace("|", "\\|"))));
    return text.toString();
  }
}
