package io.millrace.bench.harness;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How fast consumers apply a topic that is there when they start, some of it twice. */
final class InboxScenario implements Scenario {
  private static final int BYTES = 1_000;
  private static final List<Integer> REPEATS = List.of(0, 10, 50);
  private static final String MILLRACE = "io.millrace.bench.millrace.MillraceInboxMain";
  private static final String PLAIN = "io.millrace.bench.classic.PlainInboxMain";
  private static final String FIRST = "millrace, handler a batch";

  /** The group's consumers: one for each topic partition. */
  private static final Map<String, String> THREADS =
      Map.of("threads", String.valueOf(Servers.TOPIC_PARTITIONS));

  private static final List<SubjectSpec> SUBJECTS =
      List.of(
          new SubjectSpec(FIRST, "inbox", "millrace", MILLRACE, Map.of("batch", "true")),
          new SubjectSpec(
              "millrace, handler a message",
              "inbox",
              "millrace",
              MILLRACE,
              Map.of("batch", "false")),
          new SubjectSpec("a transaction a message", "inbox", "classic", PLAIN, THREADS)
              .named("a transaction a message", Map.of("check", "false")),
          new SubjectSpec("check, then insert", "inbox", "classic", PLAIN, THREADS)
              .named("check, then insert", Map.of("check", "true")));

  /** Drawn by every effect, without a look at the rows. */
  private static final String APPLIED =
      "select coalesce(pg_sequence_last_value('effect_id_seq'), 0)";

  @Override
  public String name() {
    return "inbox";
  }

  @Override
  public void run(Bench bench) {
    for (int round = 0; round < bench.options().rounds; round++) {
      for (int percent : REPEATS) {
        for (SubjectSpec spec : Bench.turned(SUBJECTS, round)) {
          measure(bench, spec, round, percent);
        }
      }
    }
  }

  private void measure(Bench bench, SubjectSpec spec, int round, int percent) {
    try (Site site = bench.servers().site("inbox");
        Child child = bench.start(spec, site)) {
      child.call("lay");
      int records = bench.options().inboxRecords;
      long distinct =
          new DuplicateFeed(bench.servers(), site.topic()).send(records, percent, BYTES);
      site.settle();
      child.call("start");
      TopicWatch.await(bench.options().settleNanos(), () -> site.number(APPLIED) > 0);
      long first = site.number(APPLIED);
      long begun = System.nanoTime();
      long cpu = CpuTime.nanos(child.pid());
      long postgres = CpuTime.nanos(bench.servers().postgres().pid());
      TopicWatch.await(
          bench.options().drainSeconds * 1_000_000_000L, () -> site.number(APPLIED) >= distinct);
      long last = site.number(APPLIED);
      double received = Math.max(1, (last - first) * ((double) records / distinct));
      Map<String, Double> values =
          Map.of(
              "per_s", received * 1e9 / (System.nanoTime() - begun),
              "consumer_us", (CpuTime.nanos(child.pid()) - cpu) / 1e3 / received,
              "postgres_us",
                  (CpuTime.nanos(bench.servers().postgres().pid()) - postgres) / 1e3 / received);
      String applied = verdict(bench, site, distinct);
      child.call("stop");
      bench.add(
          new Figure(
              name(),
              percent + " % repeated",
              round,
              spec.name(),
              values,
              Map.of("applied", applied)));
    }
  }

  /** Waits for the rest, and counts effects rather than what the sequence says. */
  private static String verdict(Bench bench, Site site, long distinct) {
    boolean done =
        TopicWatch.await(bench.options().settleNanos(), () -> site.number(APPLIED) >= distinct);
    long effects = site.number("select count(*) from effect");
    if (effects == distinct) {
      return "each once";
    }
    return "%,d effects of %,d messages".formatted(effects, distinct)
        + (done ? "" : " in the time given");
  }

  @Override
  public String report(Bench bench) {
    StringBuilder text =
        new StringBuilder(
            """
            ## Applying what is received

            A topic of %,d records of %,d bytes is there when the consumer starts; the effect of a message is a row. The time
            runs from the first effect to the last, or to the end of the time given. Every subject commits its effects and the
            ids that it remembers together, with synchronous_commit on.

            """
                .formatted(bench.options().inboxRecords, BYTES));
    for (String group : bench.figures().names(name(), Figure::group)) {
      text.append("### ").append(group).append("\n\n").append(table(bench, group)).append("\n");
    }
    return text.toString();
  }

  private String table(Bench bench, String group) {
    Figures figures = bench.figures();
    Table table =
        new Table(
            "subject",
            "records/s",
            FIRST + " is so many times as fast",
            "consumer µs",
            "PostgreSQL µs",
            "applied");
    for (String subject : figures.names(name(), Figure::subject)) {
      Optional<Spread> rate = figures.spread(name(), group, subject, "per_s");
      table.row(
          List.of(
              subject,
              Table.cell(rate, 0),
              Table.cell(figures.ratio(name(), group, "per_s", FIRST, subject), 1),
              Table.cell(figures.spread(name(), group, subject, "consumer_us"), 1),
              Table.cell(figures.spread(name(), group, subject, "postgres_us"), 1),
              figures.notes(name(), group, subject, "applied")));
    }
    return table.toString();
  }
}
