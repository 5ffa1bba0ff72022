package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.Hazelcast;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.CommandClient;
import io.millrace.client.CommandReply;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.AdminPages;
import io.millrace.launcher.Arrivals;
import io.millrace.launcher.Millrace;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node whose cluster manager goes away below it. */
@Tag("any-database")
class DownIT {
  private static final String TOPIC = ClusterNode.TOPIC + "-down";

  private final DevStack stack = SharedStack.get();

  @Test
  void without_its_cluster_manager_a_node_goes_on_says_so_starts_again_and_stops_in_order()
      throws Exception {
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    ClusterPorts ports = ClusterPorts.pick();
    try (Stand stand = new Stand(stack);
        Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      Map<String, Object> values = new HashMap<>(ports.config("down", List.of(ports)));
      values.put("node.id", "survivor");
      // Where the cluster is silent, this process is asked when the time is up.
      values.put("writer.command_timeout_ms", 1_000);
      MillraceConfig config = MillraceConfig.from(stand.config(values));
      Cluster cluster =
          Stand.await(Cluster.join(Vertx.builder(), new VertxOptions(), config.cluster()));
      Millrace first = start(cluster, config);
      // No command before: Vert.x would remember the way to this process.
      assertWarning(first, "is alone", 1);

      Hazelcast.getAllHazelcastInstances().stream()
          .filter(member -> member.getConfig().getClusterName().equals("down"))
          .forEach(member -> member.getLifecycleService().terminate());

      assertThat(raise(first, "o-1")).isEqualTo(1);
      assertWarning(first, "has been shut down", 0);
      Stand.await(first.stop());

      Millrace second = start(cluster, config);
      assertThat(raise(second, "o-1")).isEqualTo(2);
      arrivals.awaitPayloads(List.of("r1", "r2"));
      Stand.await(second.stop());
      Stand.await(cluster.vertx().close());
      assertThat(stand.number("select count(*) from millrace.node")).isZero();
    }
  }

  private static Millrace start(Cluster cluster, MillraceConfig config) {
    return Stand.await(
        Millrace.in(cluster.vertx(), config)
            .withCluster(cluster)
            .withCommand(new ClusterNode.Raise("survivor", TOPIC))
            .withMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
            .start());
  }

  private static long raise(Millrace millrace, String order) {
    CommandReply reply =
        Stand.await(
            millrace
                .commands()
                .send("raise", CommandClient.newCommandId(), new JsonObject().put("order", order)));
    return reply.body().getLong("revision");
  }

  private static void assertWarning(Millrace millrace, String part, int members) {
    AdminPages pages = new AdminPages(millrace.adminPort().orElseThrow());
    AdminPages.Ready ready = pages.ready();
    assertThat(ready.reasons()).isEmpty();
    assertThat(ready.isReady()).isTrue();
    assertThat(ready.warnings()).hasSize(1);
    assertThat(ready.warnings().getString(0)).startsWith("cluster: ").contains(part);
    assertThat(pages.metric("millrace_cluster_members"))
        .containsExactly("millrace_cluster_members " + members + ".0");
  }
}
