package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import io.millrace.stress.StressNode;
import io.millrace.stress.StressRun;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Invariant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cluster falls apart and comes together again, and is replaced node by node, under load. All
 * ways between members lead through proxies; the database and the broker can be reached all the
 * time. {@code -Dmillrace.stress.seed=N} repeats a load.
 */
@Tag("long")
@Tag("any-database")
class ClusterFaultIT {
  private static final int NODES = 3;
  private static final int ENOUGH = 1_000_000;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path directory;

  private final List<ClusterPorts> ports = new ArrayList<>();
  private final List<ClusterPorts> reached = new ArrayList<>();
  private final List<FaultProxy> ways = new ArrayList<>();
  private final List<StressNode> nodes = new ArrayList<>();

  @AfterEach
  void closeWays() throws IOException {
    for (FaultProxy way : ways) {
      way.close();
    }
  }

  @Test
  void nothing_is_lost_or_reordered_while_the_cluster_splits_merges_and_is_restarted()
      throws Exception {
    long seed = Long.getLong("millrace.stress.seed", new Random().nextLong());
    System.out.println("cluster under load, seed " + seed);
    try (PostgresServer postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
        KafkaServer kafka = KafkaServer.start(KafkaSpec.defaults());
        StressRun run = new StressRun(postgres, Brokers.of(kafka), directory, seed)) {
      startNodes(run);
      AtomicInteger remaining = new AtomicInteger(ENOUGH);
      List<Thread> writers = run.startWriters(remaining, Load.moderate());
      try {
        splitAndMerge(run);
        restartOneByOne(run);
      } finally {
        remaining.set(0);
        for (Thread writer : writers) {
          writer.join();
        }
      }
      run.readJournal();
      run.awaitDrained();
      run.check(Invariant.always());
      System.out.printf(
          "%d committed, %d repeats%n",
          run.history().committed().size(), run.history().duplicates());
    }
  }

  private void startNodes(StressRun run) throws IOException {
    for (int i = 0; i < NODES; i++) {
      ports.add(ClusterPorts.pick());
      reached.add(new ClusterPorts(way(ports.get(i).member()), way(ports.get(i).eventBus())));
    }
    for (int i = 0; i < NODES; i++) {
      nodes.add(start(run, i));
    }
    nodes.forEach(StressNode::awaitRunning);
    awaitMembers(NODES);
  }

  private int way(int port) throws IOException {
    FaultProxy way = FaultProxy.to("127.0.0.1", port);
    ways.add(way);
    return way.port();
  }

  private StressNode start(StressRun run, int i) {
    Map<String, Object> values = new HashMap<>(ports.get(i).config("apart", reached));
    values.put("cluster.public_port", reached.get(i).member());
    values.put("cluster.event_bus_public_port", reached.get(i).eventBus());
    return run.startNode(values);
  }

  private void splitAndMerge(StressRun run) throws Exception {
    ways.forEach(FaultProxy::cut);
    awaitMembers(1);
    for (StressNode node : nodes) {
      assertThat(node.pages().ready().warnings().encode()).contains("alone");
      assertThat(node.pages().ready().reasons()).isEmpty();
    }
    awaitDelivered(run, "while split");
    ways.forEach(FaultProxy::heal);
    awaitMembers(NODES);
    awaitDelivered(run, "after the merge");
  }

  /** What comes from now on goes out: at least as many again as a moderate load brings. */
  private static void awaitDelivered(StressRun run, String when) {
    int before = run.history().distinctDelivered();
    await(when).atMost(LIMIT).until(() -> run.history().distinctDelivered() > before + 500);
  }

  private void restartOneByOne(StressRun run) throws Exception {
    for (int i = 0; i < NODES; i++) {
      nodes.get(i).process().terminate();
      nodes.set(i, start(run, i));
      nodes.get(i).awaitRunning();
      awaitMembers(NODES);
    }
    assertThat(run.queryLong("select count(distinct owner) from millrace.shard"))
        .as("owners")
        .isPositive();
  }

  private void awaitMembers(int count) {
    for (StressNode node : nodes) {
      await(node.name() + " sees " + count)
          .atMost(LIMIT)
          .until(
              () -> node.pages().metric("millrace_cluster_members"),
              List.of("millrace_cluster_members " + count + ".0")::equals);
    }
  }
}
