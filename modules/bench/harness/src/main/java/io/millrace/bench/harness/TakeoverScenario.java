package io.millrace.bench.harness;

import io.millrace.bench.spi.LoadPlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * How long messages wait when a relay goes and another one takes over, and when the only one is
 * started.
 */
final class TakeoverScenario implements Scenario {
  private static final int WRITERS = 4;
  private static final int BYTES = 1_000;
  private static final int RELAYS = 2;
  private static final long DIVIDED_LIMIT_NANOS = 60_000_000_000L;

  /** Of the writers' time, the part before messages count. */
  private static final double COUNTS_AT = 0.2;

  private static final double GOES_AT = 0.4;
  private static final LoadPlan ONE_MESSAGE = new LoadPlan(1, 1, BYTES, 1, 0);
  private static final String KILLED = "killed";
  private static final String STOPPED = "stopped";
  private static final String STARTED = "started";

  @Override
  public String name() {
    return "takeover";
  }

  @Override
  public void run(Bench bench) {
    for (int round = 0; round < bench.options().rounds; round++) {
      for (SubjectSpec spec : Bench.turned(bench.options().kinds(), round)) {
        leave(bench, spec, round, KILLED, Child::kill);
        leave(bench, spec, round, STOPPED, TakeoverScenario::stop);
        start(bench, spec, round);
      }
    }
  }

  private static void stop(Child relay) {
    relay.call("stop");
    relay.close();
  }

  private void leave(
      Bench bench, SubjectSpec spec, int round, String how, Consumer<Child> leaving) {
    int seconds = bench.options().takeoverSeconds();
    LoadPlan plan = new LoadPlan(bench.options().takeoverRate, seconds, BYTES, WRITERS, 0);
    long warmUpNanos = (long) (seconds * 1e9 * COUNTS_AT);
    try (Site site = bench.servers().site(spec.module());
        Child leaver = bench.start(spec, site);
        Child stayer = bench.start(spec, site);
        Child writers = bench.start(spec, site);
        Flow flow = Flow.start(bench, site, leaver, warmUpNanos)) {
      awaitDivided(leaver, 1);
      stayer.call("start");
      awaitDivided(stayer, RELAYS);
      flow.write(writers, plan);
      TopicWatch.pause((long) (seconds * 1_000 * GOES_AT));
      Histogram before = flow.take();
      leaving.accept(leaver);
      Flow.End end = flow.end(writers, plan);
      bench.add(
          new Figure(
              name(),
              how,
              round,
              spec.kind(),
              values(before, flow.take(), end.delivery()),
              Map.of("delivered", end.verdictBesideRepeats())));
      stayer.call("stop");
    }
  }

  private static void awaitDivided(Child relay, int relays) {
    Map<String, Integer> asked = Map.of("relays", relays);
    if (!TopicWatch.await(
        DIVIDED_LIMIT_NANOS,
        () -> Boolean.parseBoolean(relay.call("divided", asked).get("divided")))) {
      throw new BenchException("%d relays have not divided the work within 60 s".formatted(relays));
    }
  }

  private static Map<String, Double> values(Histogram before, Histogram after, Delivery delivery) {
    Map<String, Double> values = new HashMap<>();
    values.put("repeats", (double) delivery.repeats());
    putLongest(values, "before_ms", before);
    putLongest(values, "longest_ms", after);
    return values;
  }

  private static void putLongest(Map<String, Double> values, String metric, Histogram found) {
    if (found.getTotalCount() > 0) {
      values.put(metric, LatencyReader.ms(found, 100));
    }
  }

  /** The message is there before the process is. */
  private void start(Bench bench, SubjectSpec spec, int round) {
    try (Site site = bench.servers().site(spec.module())) {
      try (Child writer = bench.start(spec, site)) {
        writer.call("lay");
        writer.call("load", ONE_MESSAGE.arguments());
        writer.call("loaded");
      }
      site.settle();
      String brokers = bench.servers().kafka().bootstrapServers();
      try (LatencyReader reader = new LatencyReader(brokers, site.topic(), 0)) {
        long begun = System.nanoTime();
        try (Child relay = bench.start(spec, site)) {
          relay.call("start");
          TopicWatch.await(bench.options().settleNanos(), () -> reader.lastArrival().isPresent());
          add(bench, spec, round, reader.lastArrival(), begun);
          relay.call("stop");
        }
      }
    }
  }

  private void add(Bench bench, SubjectSpec spec, int round, OptionalLong arrival, long begun) {
    Map<String, Double> values = new HashMap<>();
    arrival.ifPresent(nanos -> values.put("arrival_ms", (nanos - begun) / 1e6));
    String delivered = arrival.isPresent() ? "yes" : "not in the time given";
    bench.add(
        new Figure(name(), STARTED, round, spec.kind(), values, Map.of("delivered", delivered)));
  }

  @Override
  public String report(Bench bench) {
    int seconds = bench.options().takeoverSeconds();
    return """
        ## When a relay goes, and when one starts

        Two processes of a subject run their relays, and %d writers in a third one commit %,d business transactions a second,
        each with a message of %,d bytes, for %d s. After %.0f s the relay goes that was started first: it has half the shards
        of Millrace, and all the work of the others, whose second relay stands by. Longest: how long a message took at most
        from when its transaction was due until a consumer had it, of those that came before the relay went (the first %.0f s do
        not count), and of those that came afterwards. Repeated: records of messages that had come already. Milliseconds.

        ### A process is killed

        The kernel of the machine closes a killed process's connections, so a lock or a replication slot that is bound to a
        connection is free at once; were the machine gone or the process frozen, the server would keep it until its own
        time-outs. Millrace waits in either case until a node has made no heartbeat for a lease's length. The settings of each
        are in the list of subjects.

        %s
        ### A relay is stopped

        By the call with which an application ends it, then its process; the time that the call takes is not shown, what
        messages wait meanwhile is.

        %s
        ### The only relay starts

        One message has been committed before; from the start of the process (java) until a consumer has it.

        %s"""
        .formatted(
            WRITERS,
            bench.options().takeoverRate,
            BYTES,
            seconds,
            seconds * GOES_AT,
            seconds * COUNTS_AT,
            gone(bench, KILLED),
            gone(bench, STOPPED),
            started(bench));
  }

  private String gone(Bench bench, String how) {
    Figures figures = bench.figures();
    Table table =
        new Table("subject", "longest before", "longest afterwards", "repeated", "delivered");
    for (String subject : figures.names(name(), Figure::subject)) {
      table.row(
          List.of(
              subject,
              Table.cell(figures.spread(name(), how, subject, "before_ms"), 0),
              Table.cell(figures.spread(name(), how, subject, "longest_ms"), 0),
              Table.cell(figures.spread(name(), how, subject, "repeats"), 0),
              figures.notes(name(), how, subject, "delivered")));
    }
    return table.toString();
  }

  private String started(Bench bench) {
    Figures figures = bench.figures();
    Table table = new Table("subject", "ms", "delivered");
    for (String subject : figures.names(name(), Figure::subject)) {
      table.row(
          List.of(
              subject,
              Table.cell(figures.spread(name(), STARTED, subject, "arrival_ms"), 0),
              figures.notes(name(), STARTED, subject, "delivered")));
    }
    return table.toString();
  }
}
