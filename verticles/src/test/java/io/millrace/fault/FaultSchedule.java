package io.millrace.fault;

import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.PostgresServer;
import io.millrace.stress.StressNode;
import io.millrace.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Faults in a random order that a seed repeats, one or two at the same time, against several nodes,
 * a database and a broker under load. After each it waits until everything flows again.
 */
final class FaultSchedule {
  private static final int NODES = 3;

  /** Longer than the lease, so that a frozen node loses its shards about every other time. */
  private static final int HOLD_MS_MAX = 4_000;

  private final FaultRun run;
  private final Servers servers;
  private final boolean isStrict;
  private final Random random;
  private final List<StressNode> nodes = new ArrayList<>();
  private final Map<String, Fault> faults = new LinkedHashMap<>();

  /** What is hurt: the nodes go through the two proxies. */
  record Servers(
      PostgresServer postgres, KafkaServer kafka, FaultProxy toPostgres, FaultProxy toKafka) {}

  /** Something bad, and its end. */
  private record Fault(Step begin, Step end) {}

  private interface Step {
    void run() throws Exception;
  }

  FaultSchedule(FaultRun run, Servers servers) {
    this.run = run;
    this.servers = servers;
    this.random = run.random();
    this.isStrict = random.nextBoolean();
    addNodeFaults();
    addServerFaults();
    addTopicFaults();
  }

  private void addNodeFaults() {
    faults.put(
        "a node is killed",
        new Fault(() -> victim().process().kill(), () -> replace(nodes.remove(0))));
    faults.put(
        "a node is frozen",
        new Fault(() -> victim().process().suspend(), () -> nodes.get(0).process().resume()));
    faults.put(
        "a node is replaced",
        new Fault(
            this::start,
            () -> {
              StressNode leaving = nodes.remove(0);
              leaving.process().terminate();
              leaving.process().close();
            }));
  }

  private void addServerFaults() {
    faults.put("the broker is killed", new Fault(servers.kafka()::kill, servers.kafka()::restart));
    faults.put(
        "the database is killed",
        new Fault(
            servers.postgres()::kill,
            () -> {
              servers.postgres().restart();
              run.stress().endPrepared();
            }));
    faults.put(
        "the way to the broker is cut", new Fault(servers.toKafka()::cut, servers.toKafka()::heal));
    faults.put(
        "the way to the broker is half open",
        new Fault(servers.toKafka()::stall, servers.toKafka()::heal));
    faults.put(
        "the way to the database is cut",
        new Fault(servers.toPostgres()::cut, servers.toPostgres()::heal));
    faults.put(
        "the way to the database is half open",
        new Fault(servers.toPostgres()::stall, servers.toPostgres()::heal));
  }

  private void addTopicFaults() {
    String topic = run.stress().topics().get(1);
    faults.put(
        "a topic is forbidden",
        new Fault(
            () -> ifBrokerRuns(() -> servers.kafka().denyWrite(topic)),
            () -> servers.kafka().allowWrite(topic)));
    if (isStrict) {
      // Else a follower that is on its way when the limit is raised may overtake: see the
      // guarantees.
      faults.put(
          "a topic's limit is lowered",
          new Fault(() -> ifBrokerRuns(() -> limit(topic, 100)), () -> raiseLimit(topic)));
    }
  }

  private void ifBrokerRuns(Step step) throws Exception {
    if (servers.kafka().isRunning()) {
      step.run();
    }
  }

  private void limit(String topic, int bytes) {
    servers.kafka().alterTopic(topic, Map.of("max.message.bytes", String.valueOf(bytes)));
  }

  private void raiseLimit(String topic) {
    limit(topic, 1_048_588);
  }

  /** The first node, whichever that is by now, so that the end of a fault finds it. */
  private StressNode victim() {
    nodes.add(nodes.remove(random.nextInt(nodes.size())));
    nodes.add(0, nodes.remove(nodes.size() - 1));
    return nodes.get(0);
  }

  private void replace(StressNode old) {
    old.process().close();
    start();
  }

  private void start() {
    StressNode node =
        run.startProcess(
            Map.of(
                "database.pool_wait_ms_max",
                10_000,
                "database.port",
                servers.toPostgres().port(),
                "relay.strict_key_order",
                isStrict,
                "relay.settle_timeout_ms",
                2_000,
                "kafka.properties",
                servers.kafka().clientSettings()));
    nodes.add(node);
  }

  /** The nodes of the beginning. */
  void startNodes() {
    for (int i = 0; i < NODES; i++) {
      start();
    }
    awaitNodes();
  }

  /**
   * A node that starts while it cannot reach the database ends; whoever runs it starts it again.
   */
  private void awaitNodes() {
    await("the nodes run")
        .atMost(FaultRun.LIMIT)
        .until(
            () -> {
              List<StressNode> ended = nodes.stream().filter(n -> !n.process().isAlive()).toList();
              nodes.removeAll(ended);
              ended.forEach(this::replace);
              return nodes.stream().allMatch(StressNode::isRunning);
            });
  }

  /** Hurts and heals until the time is over. */
  void run(Duration duration) throws Exception {
    long end = System.nanoTime() + duration.toNanos();
    for (int step = 1; System.nanoTime() < end; step++) {
      List<String> names = pick();
      System.out.printf("step %d: %s%n", step, String.join(", ", names));
      for (String name : names) {
        faults.get(name).begin().run();
      }
      hold();
      // The last one first: what needs a server that another one has taken comes after it.
      for (int i = names.size() - 1; i >= 0; i--) {
        faults.get(names.get(i)).end().run();
      }
      awaitNodes();
      redriveAll();
      run.awaitFlow();
    }
  }

  /** Faults of nodes change who the first node is: no two of them at the same time. */
  private List<String> pick() {
    List<String> all = List.copyOf(faults.keySet());
    String first = all.get(random.nextInt(all.size()));
    String second = all.get(random.nextInt(all.size()));
    boolean isClash = second.equals(first) || touches(first).equals(touches(second));
    if (isClash || random.nextBoolean()) {
      return List.of(first);
    }
    // A topic's settings can be changed only while the broker runs.
    return first.contains("topic") && second.contains("the broker is killed")
        ? List.of(first, second)
        : second.contains("topic") ? List.of(second, first) : List.of(first, second);
  }

  private static String touches(String fault) {
    return fault.replaceAll("^(a node|a topic|the way to the \\w+).*", "$1");
  }

  /** The pace of the faults, not a wait for anything. */
  private void hold() throws InterruptedException {
    run.pace(Duration.ofMillis(random.nextInt(HOLD_MS_MAX)));
  }

  /** A message that was refused while a limit was low goes out when it is told to. */
  private void redriveAll() {
    await("nothing is parked")
        .atMost(FaultRun.LIMIT)
        .pollInterval(Duration.ofMillis(300))
        .until(
            () -> {
              run.stress()
                  .queryLong("select millrace.redrive('schedule', p_parked_before => now())");
              return run.parked() == 0;
            });
  }
}
