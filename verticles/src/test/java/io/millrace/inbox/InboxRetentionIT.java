package io.millrace.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.InboxConsumer;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.vertx.core.json.JsonObject;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long ids are kept is compared with what the broker says of the topics. */
@Tag("any-database")
class InboxRetentionIT {
  private static final long HOUR_MS = 3_600_000;
  private static final Map<String, Object> REFUSE =
      Map.of("inbox.retention_check", "refuse", "inbox.retention_check_interval_ms", 1_000);

  private static final DevStack stack = SharedStack.get();

  private InboxCase inbox;

  @BeforeEach
  void prepare() throws SQLException {
    inbox = new InboxCase(stack, 1, new Stand(stack, 30));
  }

  @AfterEach
  void end() {
    inbox.close();
  }

  private InboxConsumer on(String name, Map<String, String> settings) {
    String topic = inbox.topic + "-" + name;
    stack.kafka().createTopic(topic, 1, settings);
    return InboxConsumer.of("c-" + name, List.of(topic), InboxCase::apply);
  }

  /** Ids are kept for 30 days here: what is asked for beside the topic is 3 d + 6 h + 1 d. */
  @Test
  void a_consumer_whose_topic_outlives_the_ids_does_not_start_and_names_the_numbers() {
    InboxConsumer consumer =
        on(
            "long",
            Map.of("retention.ms", "" + 20 * 24 * HOUR_MS, "segment.ms", "" + 7 * 24 * HOUR_MS));

    assertThatThrownBy(() -> inbox.start(consumer, REFUSE))
        .hasMessageContaining("consumer c-long does not start")
        .hasMessageContaining("needs ids for 750 h")
        .hasMessageContaining("retention.ms 20 d + segment.ms 7 d")
        .hasMessageContaining("relay.dwell_max_ms 3 d + maintenance.retention_ms 6 h + margin 1 d")
        .hasMessageContaining("inbox.retention_days keeps them for 30 d");
  }

  @Test
  void topics_that_keep_records_for_ever_are_refused() {
    InboxConsumer infinite = on("infinite", Map.of("retention.ms", "-1"));
    InboxConsumer compacted = on("compacted", Map.of("cleanup.policy", "compact"));

    assertThatThrownBy(() -> inbox.start(infinite, REFUSE)).hasMessageContaining("for ever");
    assertThatThrownBy(() -> inbox.start(compacted, REFUSE)).hasMessageContaining("for ever");
  }

  @Test
  void told_to_warn_it_starts_and_shows_the_numbers() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    InboxConsumer consumer = on("warned", Map.of("retention.ms", "" + 40 * 24 * HOUR_MS));
    Stand.Node node =
        inbox.stand.start(
            inbox.config(Map.of()),
            builder -> builder.withConsumer(consumer).withMetrics(registry));
    await()
        .atMost(Stand.LIMIT)
        .until(() -> !consumerPage(node).getJsonArray("topic_partitions").isEmpty());
    JsonObject topic =
        consumerPage(node).getJsonObject("retention").getJsonArray("topics").getJsonObject(0);

    assertThat(topic.getBoolean("is_met")).isFalse();
    assertThat(topic.getLong("retention_ms")).isEqualTo(40 * 24 * HOUR_MS);
    assertThat(topic.getLong("needed_ms")).isEqualTo((40 + 7 + 3 + 1) * 24 * HOUR_MS + 6 * HOUR_MS);
    assertThat(node.pages().inbox().getLong("retention_ms")).isEqualTo(30 * 24 * HOUR_MS);
    assertThat(node.pages().inbox().getJsonArray("buckets")).isNotEmpty();
    assertThat(node.pages().metric("millrace_inbox_retention_kept"))
        .anyMatch(line -> line.contains("c-warned") && line.endsWith(" 2592000.0"));
    node.pages().awaitReady();
  }

  private static JsonObject consumerPage(Stand.Node node) {
    return node.pages().inbox().getJsonArray("consumers").getJsonObject(0);
  }

  @Test
  void a_topic_whose_retention_is_raised_later_turns_readiness_red() {
    InboxConsumer consumer = on("raised", Map.of());
    Stand.Node node = inbox.start(consumer, REFUSE);
    node.pages().awaitReady();
    stack.kafka().alterTopic(consumer.topics().get(0), Map.of("retention.ms", "-1"));

    node.pages().awaitReason("-raised keeps records for ever");
  }

  @Test
  void a_topic_that_does_not_exist_yet_is_waited_for() {
    String topic = inbox.topic + "-later";
    Stand.Node node =
        inbox.start(InboxConsumer.of("c-later", List.of(topic), InboxCase::apply), REFUSE);
    node.pages().awaitReason("does not exist");
    stack.kafka().createTopic(topic, 1, Map.of());

    node.pages().awaitReady();
  }
}
