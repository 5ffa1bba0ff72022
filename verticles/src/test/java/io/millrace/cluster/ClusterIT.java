package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.CommandClient;
import io.millrace.client.Outbox;
import io.millrace.core.message.Appended;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.Arrivals;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.millrace.stress.StressNode;
import io.millrace.testkit.NodeProcess;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes in processes of their own, clustered: an application with a writer, one without, and
 * the server. This process is a fourth member that runs no Millrace. Shards are looked at so seldom
 * that only nudges explain a quick delivery.
 */
@Tag("any-database")
class ClusterIT {
  private static final String NAME = "together";
  private static final int MEMBERS = 4;
  private static final Duration SOON = Duration.ofSeconds(5);

  @TempDir static Path directory;

  private static final DevStack stack = SharedStack.get();
  private static final List<ClusterPorts> ports = new ArrayList<>();
  private static final List<StressNode> nodes = new ArrayList<>();
  private static Stand stand;
  private static Cluster me;

  @BeforeAll
  static void startNodes() {
    stack.kafka().createTopic(ClusterNode.TOPIC, 1, Map.of());
    stand = new Stand(stack);
    for (int i = 0; i < MEMBERS; i++) {
      ports.add(ClusterPorts.pick());
    }
    start("writer", 0, true, ClusterNode.class.getName());
    start("plain", 1, false, ClusterNode.class.getName());
    start("server", 2, false, "io.millrace.launcher.Main", "run", "--config");
    me =
        Stand.await(
            Cluster.join(
                Vertx.builder(), new VertxOptions(), ports.get(MEMBERS - 1).section(NAME, ports)));
    nodes.forEach(StressNode::awaitRunning);
    awaitMembers(MEMBERS);
  }

  private static void start(String name, int port, boolean isWriter, String... main) {
    Map<String, Object> values = new HashMap<>(ports.get(port).config(NAME, ports));
    values.put("node.id", name);
    values.put("writer.enabled", isWriter);
    values.put("relay.poll_interval_min_ms", 10_000);
    values.put("relay.poll_interval_max_ms", 60_000);
    values.put("relay.idle_receipt_interval_ms", 600_000);
    Path file = Stand.writeConfig(directory.resolve(name + ".yaml"), stand.config(values));
    Path log = directory.resolve(name + ".log");
    List<String> arguments = new ArrayList<>(List.of(main));
    arguments.add(file.toString());
    NodeProcess process = NodeProcess.start(List.of(), log, ClusterPorts.JVM_OPTIONS, arguments);
    nodes.add(new StressNode(name, process, log));
  }

  private static void awaitMembers(int count) {
    await("members").atMost(Stand.LIMIT).until(() -> me.members() == count);
    for (StressNode node : nodes) {
      await(node.name())
          .atMost(Stand.LIMIT)
          .until(
              () ->
                  node.pages()
                      .metric("millrace_cluster_members")
                      .equals(List.of("millrace_cluster_members " + count + ".0")));
    }
  }

  @AfterAll
  static void end() {
    nodes.forEach(node -> node.process().close());
    if (me != null) {
      Stand.await(me.vertx().close());
    }
    stand.close();
  }

  @Test
  void commands_from_any_node_run_on_the_node_with_the_writer() {
    JsonObject arguments = new JsonObject().put("order", "c-1");
    JsonObject here =
        Stand.await(
                new CommandClient(me.vertx(), 10_000)
                    .send("raise", CommandClient.newCommandId(), arguments))
            .body();
    assertThat(here).isEqualTo(new JsonObject().put("node", "writer").put("revision", 1));
    UUID id = CommandClient.newCommandId();
    for (String from : List.of("plain", "writer", "plain")) {
      JsonObject question =
          new JsonObject().put("command_id", id.toString()).put("arguments", arguments);
      Object there =
          Stand.await(me.vertx().eventBus().request(ClusterNode.askAt(from), question)).body();
      assertThat(there)
          .as("one id from " + from)
          .isEqualTo(new JsonObject().put("node", "writer").put("revision", 2));
    }
  }

  @Test
  void a_commit_on_one_node_makes_the_owner_on_another_read_at_once() throws Exception {
    Pool pool =
        PgBuilder.pool()
            .using(me.vertx())
            .with(new PoolOptions().setMaxSize(1))
            .connectingTo(
                PgConnectOptions.fromUri(
                    stand.text(
                        "select 'postgresql://%s@%s:%d/' || current_database()"
                            .formatted(
                                stack.postgres().user(),
                                stack.postgres().host(),
                                stack.postgres().port()))))
            .build();
    Outbox outbox = Outbox.create(me.vertx(), new MessageRules(1_000_000));
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), ClusterNode.TOPIC)) {
      for (int i = 0; i < 2 * Stand.SHARDS; i++) {
        String order = stand.orderOfShard(i % Stand.SHARDS);
        NewMessage message =
            NewMessage.of(ClusterNode.TOPIC, "order", order, "told", Payload.of("nudged-" + i));
        List<Appended> appended =
            Stand.await(pool.withTransaction(connection -> outbox.append(connection, message)));
        outbox.nudge(appended);
        String payload = "nudged-" + i;
        await(payload + ", long before a look of its own")
            .atMost(SOON)
            .pollInSameThread()
            .pollInterval(Duration.ofMillis(1))
            .until(() -> Arrivals.texts(arrivals.read()).contains(payload));
      }
    } finally {
      Stand.await(pool.close());
    }
  }

  @Test
  void shards_are_spread_over_the_three_nodes_and_each_tells_only_its_own_status()
      throws Exception {
    await("shards")
        .atMost(Stand.LIMIT)
        .until(
            () -> stand.number("select count(distinct owner) from millrace.shard") == nodes.size());
    for (StressNode node : nodes) {
      assertThat(node.pages().ready().isReady()).as(node.name()).isTrue();
      assertThat(node.pages().ready().warnings()).as(node.name()).isEmpty();
    }
  }

  @Test
  void the_log_of_a_node_stays_short_and_without_advertisement() throws Exception {
    for (StressNode node : nodes) {
      assertThat(Files.readAllLines(node.log()))
          .as(node.name())
          .hasSizeLessThan(50)
          .noneMatch(line -> line.contains("Hazelcast Platform") || line.contains("phone"));
    }
  }
}
