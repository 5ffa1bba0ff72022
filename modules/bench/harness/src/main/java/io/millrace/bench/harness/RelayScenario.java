package io.millrace.bench.harness;

import io.millrace.bench.spi.LoadPlan;
import io.millrace.bench.spi.Payloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How fast relays publish: a backlog that is there when they start, and one beside writers that go
 * on writing; against the bare producer and the bare read of the same round.
 */
final class RelayScenario implements Scenario {
  private static final long BYTES_MAX = 1_000_000_000;
  private static final int WARM_UP_MAX = 400_000;
  private static final int WRITERS = 4;
  private static final int WRITER_BYTES = 1_000;
  private static final String PRODUCER = "bare producer";
  private static final String READ = "bare read";
  private static final String BUSY = " B beside writers";

  @Override
  public String name() {
    return "relay";
  }

  @Override
  public void run(Bench bench) {
    List<SubjectSpec> all = new ArrayList<>(List.of(SubjectSpec.LIMITS));
    all.addAll(bench.options().subjects());
    for (int round = 0; round < bench.options().rounds; round++) {
      for (int bytes : bench.options().payloads) {
        for (SubjectSpec spec : Bench.turned(all, round)) {
          if (spec.equals(SubjectSpec.LIMITS)) {
            limits(bench, round, bytes);
          } else {
            peer(bench, spec, round, bytes);
          }
        }
      }
    }
  }

  private static int count(Bench bench, int bytes) {
    long most = Math.min(bench.options().backlog, BYTES_MAX / bytes);
    return (int) Math.max(1, most / Payloads.AGGREGATES) * Payloads.AGGREGATES;
  }

  private static String group(int bytes) {
    return bytes + " B";
  }

  private void limits(Bench bench, int round, int bytes) {
    int count = count(bench, bytes);
    int warmUp = Math.min(count, WARM_UP_MAX);
    try (Site site = bench.servers().site("limits");
        Child child = bench.start(SubjectSpec.LIMITS, site)) {
      child.call("produce", Map.of("count", warmUp, "bytes", bytes));
      limit(bench, round, bytes, PRODUCER, child, "produce", count);
      child.call("lay");
      child.call("fill", Map.of("count", count, "bytes", bytes));
      site.settle();
      child.call("read", Map.of("count", warmUp));
      limit(bench, round, bytes, READ, child, "read", count);
    }
  }

  private void limit(
      Bench bench, int round, int bytes, String subject, Child child, String command, int count) {
    long before = CpuTime.nanos(child.pid());
    long nanos =
        Long.parseLong(
            child.call(command, Map.of("count", count, "bytes", bytes)).getOrDefault("nanos", "1"));
    double cpu = CpuTime.nanos(child.pid()) - before;
    bench.add(
        new Figure(
            name(),
            group(bytes),
            round,
            subject,
            Map.of("per_s", count * 1e9 / nanos, "relay_us", cpu / 1e3 / count),
            Map.of()));
  }

  private void peer(Bench bench, SubjectSpec spec, int round, int bytes) {
    int count = count(bench, bytes);
    int warmUp = Math.min(count, WARM_UP_MAX);
    try (Site site = bench.servers().site(spec.module());
        Child child = bench.start(spec, site);
        TopicWatch topic =
            new TopicWatch(bench.servers().kafka().bootstrapServers(), site.topic())) {
      child.call("lay");
      drain(bench, new Run(spec, round, bytes, site, child, topic), warmUp, count);
    }
  }

  /** One subject at one site. */
  private record Run(
      SubjectSpec spec, int round, int bytes, Site site, Child child, TopicWatch topic) {}

  private static void fill(Child child, long count, long before, int bytes) {
    long revision = before / Payloads.AGGREGATES;
    child.call("fill", Map.of("count", count, "revision", revision, "bytes", bytes));
  }

  /**
   * What comes first is not measured: a relay runs for months, and for its first seconds the
   * compiler takes more of the processor than it does.
   */
  private void drain(Bench bench, Run run, int warmUp, int count) {
    long target = (long) warmUp + count;
    fill(run.child, target, 0, run.bytes);
    run.site.settle();
    Window window = new Window(bench.servers(), run.topic, run.child.pid());
    run.child.call("start");
    window.awaitFirst(0);
    TopicWatch.await(
        bench.options().warmUpSeconds * 1_000_000_000L, () -> run.topic.records() >= warmUp);
    Map<String, Double> values =
        window.measure(bench.options().drainSeconds, () -> run.topic.records() >= target);
    Delivery delivery = Delivery.await(bench, run.site, target);
    run.child.call("stop");
    add(bench, run, group(run.bytes), values, delivery.verdict(target));
    if (run.bytes == WRITER_BYTES && delivery.distinct() >= target) {
      busy(bench, run, target, count);
    }
  }

  /** With a backlog, so that the relay always has something to do, and writers that add to it. */
  private void busy(Bench bench, Run run, long before, int count) {
    fill(run.child, count, before, run.bytes);
    run.site.settle();
    // Not what was filled before: some may have been repeated.
    long records = run.topic.records();
    int seconds = bench.options().busySeconds;
    long filled = before + count;
    int revision = (int) (filled / Payloads.AGGREGATES);
    LoadPlan plan = new LoadPlan(bench.options().busyRate, seconds, run.bytes, WRITERS, revision);
    long written = plan.transactions();
    try (Child writers = bench.start(run.spec, run.site)) {
      writers.call("load", plan.arguments());
      Window window = new Window(bench.servers(), run.topic, run.child.pid());
      run.child.call("start");
      window.awaitFirst(records);
      Map<String, Double> values =
          window.measure(seconds, () -> run.topic.records() >= records + count);
      writers.call("loaded");
      Delivery delivery = Delivery.await(bench, run.site, filled + written);
      run.child.call("stop");
      add(bench, run, run.bytes + BUSY, values, delivery.verdict(filled + written));
    }
  }

  private void add(
      Bench bench, Run run, String group, Map<String, Double> values, String delivered) {
    bench.add(
        new Figure(
            name(), group, run.round, run.spec.name(), values, Map.of("delivered", delivered)));
  }

  @Override
  public String report(Bench bench) {
    StringBuilder text =
        new StringBuilder(
            """
            ## Publishing a backlog

            A backlog is committed while the relay is stopped. The relay begins; its first %,d messages, or %d s, are its
            warm-up, and the time runs from there to the last record in the topic, for %d s at most.
            Beside writers: the same while %d writers commit %,d business transactions a second, each with a message. Processor
            time a message is that of the relay's process, of all of PostgreSQL's and of the broker's. Delivered: what a
            consumer found in the topic afterwards, when everything had come or %d s after the measurement; who has not delivered
            everything is not measured beside writers.

            """
                .formatted(
                    WARM_UP_MAX,
                    bench.options().warmUpSeconds,
                    bench.options().drainSeconds,
                    WRITERS,
                    bench.options().busyRate,
                    bench.options().settleSeconds));
    for (String group : bench.figures().names(name(), Figure::group)) {
      text.append("### ").append(group).append("\n\n").append(table(bench, group)).append("\n");
    }
    return text.toString();
  }

  private String table(Bench bench, String group) {
    Figures figures = bench.figures();
    Set<String> subjects = figures.names(name(), Figure::subject);
    String first = bench.options().subjects().get(0).name();
    Table table =
        new Table(
            "subject",
            "messages/s",
            "of the bare producer",
            first + " is so many times as fast",
            "relay µs",
            "PostgreSQL µs",
            "Kafka µs",
            "delivered");
    for (String subject : subjects) {
      if (figures.spread(name(), group, subject, "per_s").isPresent()) {
        table.row(
            List.of(
                subject,
                Table.cell(figures.spread(name(), group, subject, "per_s"), 0),
                Table.cell(figures.ratio(name(), group, "per_s", subject, PRODUCER), 2),
                Table.cell(figures.ratio(name(), group, "per_s", first, subject), 2),
                Table.cell(figures.spread(name(), group, subject, "relay_us"), 1),
                Table.cell(figures.spread(name(), group, subject, "postgres_us"), 1),
                Table.cell(figures.spread(name(), group, subject, "kafka_us"), 1),
                figures.notes(name(), group, subject, "delivered")));
      }
    }
    return table.toString();
  }
}
