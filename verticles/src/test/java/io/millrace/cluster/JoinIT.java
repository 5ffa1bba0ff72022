package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.millrace.core.config.ClusterConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.Stand;
import io.millrace.testkit.FaultProxy;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a node finds others, or does without. Needs no servers. */
@Tag("any-database")
class JoinIT {
  private final List<Cluster> joined = new ArrayList<>();

  @AfterEach
  void leave() {
    joined.forEach(cluster -> Stand.await(cluster.vertx().close()));
  }

  private Cluster join(ClusterConfig config) {
    Cluster cluster = Stand.await(Cluster.join(Vertx.builder(), new VertxOptions(), config));
    joined.add(cluster);
    return cluster;
  }

  private static void awaitMembers(Cluster cluster, int count) {
    await("members").atMost(Stand.LIMIT).until(cluster::members, members -> members == count);
  }

  @Test
  void a_member_that_never_answers_leaves_a_node_alone_until_it_does() throws Exception {
    ClusterPorts mine = ClusterPorts.pick();
    ClusterPorts refusing = ClusterPorts.pick();
    ClusterPorts others = ClusterPorts.pick();
    try (FaultProxy way = FaultProxy.to("127.0.0.1", others.member())) {
      way.stall();
      ClusterPorts reached = new ClusterPorts(way.port(), 0);
      Cluster me = join(mine.section("late", List.of(mine, refusing, reached)));
      assertThat(me.members()).isEqualTo(1);

      way.heal();
      Map<String, Object> values = new HashMap<>(others.config("late", List.of(mine, reached)));
      values.put("cluster.public_port", way.port());
      join(MillraceConfig.from(values).cluster());
      awaitMembers(me, 2);
    }
  }

  @Test
  void a_name_that_resolves_to_nodes_is_enough_to_find_them() {
    ClusterPorts first = ClusterPorts.pick();
    ClusterPorts second = new ClusterPorts(first.member(), ClusterPorts.pick().eventBus());
    Cluster here = join(byName(first, "127.0.0.1", "localhost"));
    Cluster there = join(byName(second, "127.0.0.2", "localhost"));
    awaitMembers(here, 2);
    awaitMembers(there, 2);
  }

  @Test
  void a_name_that_nobody_knows_yet_leaves_a_node_alone() {
    Cluster alone = join(byName(ClusterPorts.pick(), "127.0.0.1", "nobody.invalid"));
    assertThat(alone.members()).isEqualTo(1);
  }

  private static ClusterConfig byName(ClusterPorts ports, String host, String name) {
    return MillraceConfig.from(
            Map.of(
                "cluster.enabled",
                true,
                "cluster.host",
                host,
                "cluster.port",
                ports.member(),
                "cluster.event_bus_port",
                ports.eventBus(),
                "cluster.kubernetes_service_dns",
                name))
        .cluster();
  }

  @Test
  void a_port_that_is_taken_stops_the_start() throws Exception {
    ClusterPorts mine = ClusterPorts.pick();
    for (int port : List.of(mine.member(), mine.eventBus())) {
      try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        Throwable failure = catchThrowable(() -> join(mine.section("taken", List.of(mine))));
        assertThat(failure).as("%d of %s", port, taken).isNotNull();
        assertThat(failure).hasStackTraceContaining("ddress already in use");
      }
    }
  }
}
