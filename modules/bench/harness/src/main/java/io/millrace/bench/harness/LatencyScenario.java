package io.millrace.bench.harness;

import io.millrace.bench.spi.LoadPlan;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * How long a message takes from when its transaction was due until a consumer has it, at constant
 * rates. Writers are in the relay's process, which is where Millrace's nudges come from.
 */
final class LatencyScenario implements Scenario {
  private static final int WRITERS = 8;
  private static final int BYTES = 1_000;

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public void run(Bench bench) {
    for (int round = 0; round < bench.options().rounds; round++) {
      for (int rate : bench.options().rates) {
        for (SubjectSpec spec : Bench.turned(bench.options().kinds(), round)) {
          measure(bench, spec, round, rate);
          if (spec.options().containsKey("nudge")) {
            measure(
                bench, spec.named(spec.name() + ", nudged", Map.of("nudge", "true")), round, rate);
          }
        }
      }
    }
  }

  private void measure(Bench bench, SubjectSpec spec, int round, int rate) {
    int seconds = bench.options().warmUpSeconds + bench.options().latencySeconds;
    LoadPlan plan = new LoadPlan(rate, seconds, BYTES, WRITERS, 0);
    try (Site site = bench.servers().site(spec.module());
        Child child = bench.start(spec, site);
        Flow flow =
            Flow.start(bench, site, child, bench.options().warmUpSeconds * 1_000_000_000L)) {
      flow.write(child, plan);
      String delivered = flow.end(child, plan).verdict();
      add(bench, spec, round, rate, flow.take(), delivered);
      child.call("stop");
    }
  }

  private void add(
      Bench bench, SubjectSpec spec, int round, int rate, Histogram found, String delivered) {
    Map<String, Double> values =
        Map.of(
            "p50_ms", LatencyReader.ms(found, 50),
            "p99_ms", LatencyReader.ms(found, 99),
            "p99_9_ms", LatencyReader.ms(found, 99.9));
    bench.add(
        new Figure(
            name(), group(rate), round, spec.name(), values, Map.of("delivered", delivered)));
  }

  private static String group(int rate) {
    return "%,d messages/s".formatted(rate);
  }

  @Override
  public String report(Bench bench) {
    StringBuilder text =
        new StringBuilder(
            """
            ## From insert to consumer

            %d writers begin business transactions of one message of %,d bytes at a constant rate, whether earlier ones have
            ended or not; the time runs from when a transaction was due until a consumer on the same machine has the record, so
            it holds the transaction, its commit, the relay and the broker. Milliseconds; the first %d s do not count.

            """
                .formatted(WRITERS, BYTES, bench.options().warmUpSeconds));
    for (String group : bench.figures().names(name(), Figure::group)) {
      text.append("### ").append(group).append("\n\n").append(table(bench, group)).append("\n");
    }
    return text.toString();
  }

  private String table(Bench bench, String group) {
    Figures figures = bench.figures();
    String first = bench.options().kinds().get(0).name();
    Table table =
        new Table("subject", "p50", "p99", "p99.9", "p50 in parts of " + first, "delivered");
    for (String subject : figures.names(name(), Figure::subject)) {
      table.row(
          List.of(
              subject,
              Table.cell(figures.spread(name(), group, subject, "p50_ms"), 1),
              Table.cell(figures.spread(name(), group, subject, "p99_ms"), 1),
              Table.cell(figures.spread(name(), group, subject, "p99_9_ms"), 1),
              Table.cell(figures.ratio(name(), group, "p50_ms", subject, first), 2),
              figures.notes(name(), group, subject, "delivered")));
    }
    return table.toString();
  }
}
