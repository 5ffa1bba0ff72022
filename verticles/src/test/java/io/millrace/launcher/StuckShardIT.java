package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What cannot be published stops its shard, visibly and with its reason, while others flow; and the
 * shard goes on by itself once the reason is gone.
 */
@Tag("any-database")
class StuckShardIT {
  private static final int STUCK = 1;
  private static final int FLOWING = 2;

  private static DevStack stack;

  private Stand stand;
  private String topic;
  private String stuckOrder;
  private String flowingOrder;
  private AdminPages pages;

  @BeforeAll
  static void startServers() {
    stack = DevStack.start(DevStackSpec.temporary());
  }

  @AfterAll
  static void stopServers() {
    stack.close();
  }

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    topic = "stuck-" + System.nanoTime();
    stuckOrder = stand.orderOfShard(STUCK);
    flowingOrder = stand.orderOfShard(FLOWING);
    pages = stand.start(Map.of()).pages();
    pages.awaitReady();
  }

  @AfterEach
  void end() {
    stand.close();
  }

  @Test
  void a_message_larger_than_its_topic_allows_stops_its_shard_until_the_limit_is_raised()
      throws Exception {
    stack.kafka().createTopic(topic, 1, Map.of("max.message.bytes", "2000"));
    String large = "x".repeat(5_000);
    try (Arrivals arrivals = arrivals(topic)) {
      stand.sql(Stand.append(topic, stuckOrder, "before"), Stand.append(topic, stuckOrder, large));
      pages.awaitReason("for topic " + topic);
      stand.sql(Stand.append(topic, stuckOrder, "behind"));
      assertStuckButOthersFlow("RecordTooLargeException", arrivals);

      raiseLimit();

      assertThat(arrivals.awaitPayloads(List.of("before", large, "behind")))
          .filteredOn(p -> !p.startsWith("flows"))
          .containsExactly("before", large, "behind");
      pages.awaitReady();
    }
  }

  @Test
  void a_missing_topic_stops_its_shard_until_it_is_created() throws Exception {
    String missing = topic + "-missing";
    stack.kafka().createTopic(topic, 1, Map.of());
    try (Arrivals flowing = arrivals(topic)) {
      stand.sql(
          Stand.append(missing, stuckOrder, "first"), Stand.append(missing, stuckOrder, "second"));
      pages.awaitReason("for topic " + missing);
      assertStuckButOthersFlow("UnknownTopicOrPartitionException", flowing);
    }

    stack.kafka().createTopic(missing, 1, Map.of());

    try (Arrivals arrivals = arrivals(missing)) {
      assertThat(Arrivals.texts(arrivals.await(2))).containsExactly("first", "second");
    }
    pages.awaitReady();
  }

  @Test
  void a_message_that_names_an_unknown_resolver_stops_its_shard_with_the_reason() throws Exception {
    stack.kafka().createTopic(topic, 1, Map.of());
    try (Arrivals arrivals = arrivals(topic)) {
      stand.sql(
          "select * from millrace.append('%s', 'order', '%s', 'changed', null, resolver => 'nobody')"
              .formatted(topic, stuckOrder));
      pages.awaitReason("names the resolver 'nobody', this node has []");
      assertStuckButOthersFlow("nobody", arrivals);
    }
  }

  private void assertStuckButOthersFlow(String reason, Arrivals arrivals) throws Exception {
    assertThat(pages.shard(STUCK).getString("reason")).contains(reason);
    assertThat(pages.shard(FLOWING).getString("reason")).isNull();
    stand.sql(
        Stand.append(topic, flowingOrder, "flows 1"), Stand.append(topic, flowingOrder, "flows 2"));
    assertThat(arrivals.awaitPayloads(List.of("flows 1", "flows 2")))
        .filteredOn(p -> p.startsWith("flows"))
        .containsExactly("flows 1", "flows 2");
    assertThat(pages.ready().status()).isEqualTo(503);
    await()
        .atMost(Stand.LIMIT)
        .until(() -> pages.shard(FLOWING).getLong("backlog"), backlog -> backlog == 0);
    assertThat(pages.shard(STUCK).getLong("backlog")).isPositive();
  }

  private static Arrivals arrivals(String topic) {
    return new Arrivals(stack.kafka().bootstrapServers(), topic);
  }

  private void raiseLimit() throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    AlterConfigOp raise =
        new AlterConfigOp(
            new ConfigEntry("max.message.bytes", "1000000"), AlterConfigOp.OpType.SET);
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
      admin
          .incrementalAlterConfigs(Map.of(resource, List.of(raise)))
          .all()
          .get(Stand.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
