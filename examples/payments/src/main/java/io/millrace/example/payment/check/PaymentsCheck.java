package io.millrace.example.payment.check;

import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresSpec;
import io.millrace.example.payment.PaymentsNode;
import io.millrace.postgres.SchemaMigration;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One check from the empty machine to the verdict. Blocking. */
final class PaymentsCheck implements AutoCloseable {
  private static final long LOOK_INTERVAL_MS = 1_000;
  private static final long NODE_LOOK_MS = 100;
  private static final long LINE_INTERVAL_MS = 2_000;

  /** Counting what is booked takes longer the more there is: at most a tenth of the time. */
  private static final int COUNT_SHARE = 10;

  /** Nothing has moved for so long: it stands still. */
  private static final long STILL_MS_MAX = 60_000;

  /** Faults go on until so little is left, so that what comes last is not waited for in vain. */
  private static final double LEFT_IN_PEACE = 0.1;

  private final CheckSpec spec;
  private final PrintStream out;
  private final DevStack stack;
  private final CheckDirectory directory;
  private final Bank bank;
  private final EventProducer producer;
  private final NodeFleet fleet;
  private final Trouble trouble;
  private final GroupWatch group;
  private long startNanos = System.nanoTime();
  private long booked;
  private long nextCountMs;
  private long nextLineMs;

  private PaymentsCheck(CheckSpec spec, CheckDirectory directory, PrintStream out, DevStack stack)
      throws Exception {
    this.spec = spec;
    this.out = out;
    this.stack = stack;
    this.directory = directory;
    layTables();
    bank = new Bank(stack.postgres().jdbcUrl("postgres") + "?user=" + stack.postgres().user());
    bank.createTables();
    stack.kafka().createTopic(PaymentsNode.TOPIC, EventProducer.TOPIC_PARTITIONS, Map.of());
    long fromMs = System.currentTimeMillis() - EventPlan.SPAN_MS;
    String brokers = stack.kafka().bootstrapServers();
    producer = new EventProducer(new EventPlan(spec.seed(), spec.events(), fromMs), brokers);
    fleet =
        new NodeFleet(
            spec.nodeClass(), directory.writeConfig(NodeSettings.of(stack)), directory.path());
    trouble = new Trouble(fleet, spec.seed());
    group = new GroupWatch(brokers);
  }

  private void layTables() {
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                "postgres",
                stack.postgres().user(),
                "",
                "disable"),
            SchemaMigration.Layout.of(MillraceConfig.from(Map.of())))
        .migrate();
  }

  /**
   * Starts the servers, checks, and ends everything again.
   *
   * @param parent where a directory for logs is made, which stays if something is wrong
   * @param out where progress goes, a line every two seconds
   */
  static CheckReport run(CheckSpec spec, Path parent, PrintStream out) throws Exception {
    out.printf(
        "%,d payments on %d consumer processes, PostgreSQL %d, seed %d%n",
        spec.events(), spec.nodes(), spec.postgresVersion(), spec.seed());
    DevStackSpec servers =
        new DevStackSpec(
            PostgresSpec.ofVersion(spec.postgresVersion()),
            KafkaSpec.defaults().withSettings(NodeSettings.broker()));
    try (DevStack stack = DevStack.start(servers);
        PaymentsCheck check = new PaymentsCheck(spec, CheckDirectory.in(parent), out, stack)) {
      return check.run();
    }
  }

  private CheckReport run() throws Exception {
    fleet.start(spec.nodes());
    List<String> problems = new ArrayList<>();
    awaitNodes(problems);
    startNanos = System.nanoTime();
    producer.start();
    trouble.start();
    if (awaitRead(problems)) {
      problems.addAll(bank.audit(producer.balances(), spec.events()));
    }
    long seconds = elapsedMs() / TimeUnit.SECONDS.toMillis(1);
    if (!problems.isEmpty()) {
      directory.keep();
      out.println("the logs of the consumers are kept in " + directory.path());
    }
    String faults =
        "kills %d, freezes %d, stops %d, rebalances seen %d"
            .formatted(trouble.kills(), trouble.freezes(), trouble.stops(), group.rebalances());
    return new CheckReport(
        spec, producer.repeats(), fleet.counts().duplicates(), faults, seconds, problems);
  }

  private void awaitNodes(List<String> problems) throws InterruptedException {
    for (int place = 0; place < fleet.size(); place++) {
      while (!fleet.isRunning(place) && elapsedMs() < STILL_MS_MAX) {
        TimeUnit.MILLISECONDS.sleep(NODE_LOOK_MS);
      }
      if (!fleet.isRunning(place)) {
        problems.add("consumer process %d does not run".formatted(place + 1));
      }
    }
  }

  /** Until every topic partition has been read to its end. Whether that was reached. */
  private boolean awaitRead(List<String> problems) throws Exception {
    Map<Integer, Long> stood = Map.of();
    long movedMs = elapsedMs();
    while (problems.isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(LOOK_INTERVAL_MS);
      count();
      group.look();
      Map<Integer, Long> positions = bank.positions();
      if (!positions.equals(stood)) {
        stood = positions;
        movedMs = elapsedMs();
      }
      line();
      if (producer.isDone() && spec.events() - booked <= spec.events() * LEFT_IN_PEACE) {
        trouble.end();
        if (trouble.isOver() && isRead(positions)) {
          break;
        }
      }
      if (elapsedMs() - movedMs > STILL_MS_MAX) {
        problems.add(
            "nothing has moved for %d s: the consumer stands at %s, the topic ends at %s"
                .formatted(STILL_MS_MAX / 1_000, positions, group.ends()));
      }
      failures(problems);
    }
    return problems.isEmpty();
  }

  private boolean isRead(Map<Integer, Long> positions) throws Exception {
    return group.ends().entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  private void failures(List<String> problems) {
    if (producer.failure() != null) {
      problems.add("the producer failed: " + producer.failure());
    }
    if (trouble.failure() != null) {
      problems.add("a consumer process could not be handled: " + trouble.failure());
    }
  }

  private void count() throws Exception {
    long nowMs = elapsedMs();
    if (nowMs >= nextCountMs) {
      booked = bank.booked();
      nextCountMs = elapsedMs() + (elapsedMs() - nowMs) * COUNT_SHARE;
    }
  }

  private void line() {
    if (elapsedMs() >= nextLineMs) {
      nextLineMs = elapsedMs() + LINE_INTERVAL_MS;
      out.printf(
          "%5d s  produced %,11d  repeats %,10d  booked %,11d  kills %3d  freezes %2d  stops %2d  rebalances %3d%n",
          elapsedMs() / 1_000,
          producer.produced(),
          producer.repeats(),
          booked,
          trouble.kills(),
          trouble.freezes(),
          trouble.stops(),
          group.rebalances());
    }
  }

  private long elapsedMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }

  @Override
  public void close() throws SQLException, IOException {
    trouble.close();
    fleet.close();
    producer.close();
    group.close();
    bank.close();
    directory.close();
  }
}
