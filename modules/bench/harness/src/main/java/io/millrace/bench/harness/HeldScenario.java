package io.millrace.bench.harness;

import io.millrace.bench.spi.LoadPlan;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Writers and relay at a constant rate, while somebody else holds a REPEATABLE READ transaction
 * open in the same database: what piles up, and what it does to the relay.
 */
final class HeldScenario implements Scenario {
  private static final int WRITERS = 8;
  private static final int BYTES = 400;
  private static final int SAMPLES = 40;

  /** Of the samples: before the transaction begins, and when it has ended. */
  private static final int HELD_FROM = 8;

  private static final int HELD_TO = 32;
  private static final Map<String, String> METRICS = metrics();

  /** Of the outbox, all that is not the business table's. */
  private static final String DEAD =
      "select coalesce(sum(n_dead_tup), 0)::bigint from pg_stat_user_tables where relname <> 'account'";

  private static final String BYTES_ON_DISK =
      "select coalesce(sum(pg_total_relation_size(relid)), 0)::bigint from pg_stat_user_tables"
          + " where relname <> 'account'";

  private static Map<String, String> metrics() {
    Map<String, String> metrics = new LinkedHashMap<>();
    metrics.put("p50_ms", "From insert to consumer, median, ms");
    metrics.put("postgres_us", "Processor time of PostgreSQL a message, µs");
    metrics.put("dead", "Dead tuples in the outbox's tables");
    metrics.put("mib", "Size of the outbox's tables and indexes, MiB");
    return metrics;
  }

  @Override
  public String name() {
    return "held";
  }

  /** Once: each takes minutes, and shows itself how it goes on. */
  @Override
  public void run(Bench bench) {
    for (SubjectSpec spec : bench.options().kinds()) {
      measure(bench, spec);
    }
  }

  private void measure(Bench bench, SubjectSpec spec) {
    LoadPlan plan =
        new LoadPlan(bench.options().heldRate, bench.options().heldSeconds(), BYTES, WRITERS, 0);
    try (Site site = bench.servers().site(spec.module());
        Child relay = bench.start(spec, site);
        Child writers = bench.start(spec, site);
        Flow flow = Flow.start(bench, site, relay, 0)) {
      flow.write(writers, plan);
      sample(bench, spec, site, flow);
      String delivered = flow.end(writers, plan).verdict();
      relay.call("stop");
      bench.add(
          new Figure(name(), "whole", 0, spec.kind(), Map.of(), Map.of("delivered", delivered)));
    } catch (SQLException e) {
      throw new BenchException("the held transaction has failed", e);
    }
  }

  private void sample(Bench bench, SubjectSpec spec, Site site, Flow flow) throws SQLException {
    long begun = System.nanoTime();
    long postgres = bench.servers().postgres().pid();
    long step = bench.options().heldSeconds() * 1_000_000_000L / SAMPLES;
    long cpu = CpuTime.nanos(postgres);
    try (Connection holder = site.connect();
        Statement statement = holder.createStatement()) {
      for (int i = 1; i <= SAMPLES; i++) {
        long due = begun + i * step;
        TopicWatch.await(step, () -> System.nanoTime() >= due);
        long now = CpuTime.nanos(postgres);
        add(bench, spec, i, (System.nanoTime() - begun) / 1e9, values(site, flow, now - cpu));
        cpu = now;
        if (i == HELD_FROM) {
          statement.execute("begin isolation level repeatable read");
          statement.execute("select count(*) from account");
        } else if (i == HELD_TO) {
          statement.execute("commit");
        }
      }
    }
  }

  private static Map<String, Double> values(Site site, Flow flow, long cpuNanos) {
    Histogram latencies = flow.take();
    Map<String, Double> values = new HashMap<>();
    long count = latencies.getTotalCount();
    if (count > 0) {
      values.put("p50_ms", LatencyReader.ms(latencies, 50));
      values.put("p99_ms", LatencyReader.ms(latencies, 99));
      values.put("postgres_us", cpuNanos / 1e3 / count);
    }
    values.put("per_s", (double) count);
    values.put("dead", (double) site.number(DEAD));
    values.put("mib", site.number(BYTES_ON_DISK) / 1_048_576.0);
    return values;
  }

  private void add(
      Bench bench, SubjectSpec spec, int sample, double seconds, Map<String, Double> values) {
    Map<String, Double> all = new HashMap<>(values);
    all.put("seconds", seconds);
    bench.add(new Figure(name(), phase(sample), sample, spec.kind(), all, Map.of()));
  }

  /** The samples at its beginning show what has been before. */
  private static String phase(int sample) {
    if (sample <= HELD_FROM) {
      return "before";
    }
    if (sample > HELD_TO) {
      return "afterwards";
    }
    return sample > (HELD_FROM + HELD_TO) / 2 ? "second half of it" : "first half of it";
  }

  @Override
  public String report(Bench bench) {
    StringBuilder text =
        new StringBuilder(
            """
            ## Beside a long transaction

            %d writers commit %,d business transactions a second, each with a message of %d bytes, for %d s, and the relay
            publishes. After a fifth of the time somebody begins a REPEATABLE READ transaction in the same database and reads
            one table; after four fifths it ends. Shaded in the pictures. Samples of %.1f s: median, with the least and the
            greatest in brackets. All tables of a subject count, those with its nodes and leases too, but not the business
            table. Where a subject has no figure for a while, no message arrived.

            """
                .formatted(
                    WRITERS,
                    bench.options().heldRate,
                    BYTES,
                    bench.options().heldSeconds(),
                    bench.options().heldSeconds() / (double) SAMPLES));
    METRICS.forEach(
        (metric, title) -> {
          text.append("### ")
              .append(title)
              .append("\n\n")
              .append(table(bench, metric))
              .append("\n");
          text.append("![%s](%s)%n%n".formatted(title, bench.options().picture(name(), metric)));
        });
    return text.toString();
  }

  private String table(Bench bench, String metric) {
    List<String> phases = List.of("before", "first half of it", "second half of it", "afterwards");
    Table table =
        new Table(
            "subject", phases.get(0), phases.get(1), phases.get(2), phases.get(3), "delivered");
    for (String subject : bench.figures().names(name(), Figure::subject)) {
      List<String> cells = new ArrayList<>(List.of(subject));
      for (String phase : phases) {
        cells.add(Table.cell(bench.figures().spread(name(), phase, subject, metric), 1));
      }
      cells.add(bench.figures().notes(name(), "whole", subject, "delivered"));
      table.row(cells);
    }
    return table.toString();
  }

  @Override
  public Map<String, String> pictures(Bench bench) {
    Map<String, String> pictures = new HashMap<>();
    METRICS.forEach(
        (metric, title) ->
            pictures.put(bench.options().picture(name(), metric), plot(bench, metric, title)));
    return pictures;
  }

  private String plot(Bench bench, String metric, String title) {
    Plot plot = new Plot(title, "");
    double seconds = bench.options().heldSeconds();
    plot.shade(seconds * HELD_FROM / SAMPLES, seconds * HELD_TO / SAMPLES);
    for (Figure figure : bench.figures().of(name())) {
      Double value = figure.values().get(metric);
      Double at = figure.values().get("seconds");
      if (value != null && at != null) {
        plot.add(figure.subject(), at, value);
      }
    }
    return plot.svg();
  }
}
