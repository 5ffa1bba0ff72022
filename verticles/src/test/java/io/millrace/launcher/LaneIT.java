package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A topic that cannot be published to gets a lane of its own: its messages wait, everything else
 * flows, and it catches up by itself, in order.
 */
@Tag("any-database")
class LaneIT {
  private static final int SHARD = 1;

  private static final DevStack stack = SharedStack.get();

  private Stand stand;
  private String good;
  private String bad;
  private String order;
  private AdminPages pages;

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    good = "good-" + System.nanoTime();
    bad = "bad-" + System.nanoTime();
    stack.kafka().createTopic(good, 1, Map.of());
    order = stand.orderOfShard(SHARD);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  private void start(Map<String, ?> own) {
    pages = stand.start(own).pages();
    pages.awaitReady();
  }

  @Test
  void a_missing_topic_holds_only_its_own_messages_and_catches_up_in_order_once_it_exists()
      throws Exception {
    start(Map.of());
    stand.sql(
        Stand.append(bad, order, "b1"), Stand.append(good, order, "g1"),
        Stand.append(bad, order, "b2"), Stand.append(good, order, "g2"));
    awaitLanes(1);
    appendMany(bad, "m", 1_000);
    stand.sql(Stand.append(good, order, "g3"));
    try (Arrivals flowing = arrivals(good)) {
      assertThat(flowing.awaitPayloads(List.of("g1", "g2", "g3")))
          .containsExactly("g1", "g2", "g3");
    }
    assertThat(pages.shard(SHARD).getJsonArray("lanes").getJsonObject(0).getString("topic"))
        .isEqualTo(bad);
    pages.awaitReady();

    stack.kafka().createTopic(bad, 1, Map.of());

    List<String> expected = new ArrayList<>(List.of("b1", "b2"));
    for (int i = 0; i < 1_000; i++) {
      expected.add("m" + i);
    }
    try (Arrivals arrivals = arrivals(bad)) {
      assertThat(firsts(arrivals.awaitPayloads(expected))).isEqualTo(expected);
      awaitLanes(0);
      stand.sql(Stand.append(bad, order, "after"));
      assertThat(firsts(arrivals.awaitPayloads(List.of("after")))).endsWith("after");
    }
    assertThat(stand.number("select count(*) from millrace.parked")).isZero();
  }

  @Test
  void a_lane_survives_a_change_of_owner() throws Exception {
    Stand.Node first = stand.start(Map.of());
    pages = first.pages();
    stand.sql(Stand.append(bad, order, "b1"), Stand.append(bad, order, "b2"));
    awaitLanes(1);
    start(Map.of());
    first.stop();
    stand.sql(Stand.append(good, order, "g1"), Stand.append(bad, order, "b3"));
    try (Arrivals flowing = arrivals(good)) {
      flowing.await(1);
    }

    stack.kafka().createTopic(bad, 1, Map.of());

    try (Arrivals arrivals = arrivals(bad)) {
      assertThat(firsts(arrivals.awaitPayloads(List.of("b1", "b2", "b3"))))
          .containsExactly("b1", "b2", "b3");
    }
    awaitLanes(0);
  }

  @Test
  void a_topic_deleted_under_load_comes_back_with_everything_that_was_not_acknowledged()
      throws Exception {
    stack.kafka().createTopic(bad, 1, Map.of());
    start(Map.of("relay.settle_timeout_ms", 1_000));
    appendMany(bad, "x", 200);
    try (Arrivals arrivals = arrivals(bad)) {
      arrivals.await(200);
    }
    stack.kafka().deleteTopic(bad);
    appendMany(bad, "y", 200);
    stand.sql(Stand.append(good, order, "g1"));
    try (Arrivals flowing = arrivals(good)) {
      flowing.await(1);
    }
    awaitLanes(1);
    stack.kafka().createTopic(bad, 1, Map.of());

    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      expected.add("y" + i);
    }
    try (Arrivals arrivals = arrivals(bad)) {
      assertThat(firsts(arrivals.awaitPayloads(expected)).stream().filter(p -> p.startsWith("y")))
          .containsExactlyElementsOf(expected);
    }
    awaitLanes(0);
  }

  @Test
  void a_lane_that_is_kept_too_long_is_parked_and_goes_out_by_itself_when_the_topic_works()
      throws Exception {
    start(
        Map.of(
            "relay.lane_keep_ms",
            1_000,
            "maintenance.interval_ms",
            100,
            "maintenance.slots_min",
            3));
    stand.sql(Stand.append(bad, order, "b1"), Stand.append(bad, order, "b2"));
    awaitLanes(1);
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.parked"), parked -> parked == 2);
    stand.sql(Stand.append(bad, order, "b3"), Stand.append(good, order, "g1"));
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.parked"), parked -> parked == 3);
    try (Arrivals flowing = arrivals(good)) {
      flowing.await(1);
    }

    stack.kafka().createTopic(bad, 1, Map.of());

    try (Arrivals arrivals = arrivals(bad)) {
      assertThat(firsts(arrivals.awaitPayloads(List.of("b1", "b2", "b3"))))
          .containsExactly("b1", "b2", "b3");
      awaitLanes(0);
      stand.sql(Stand.append(bad, order, "b4"));
      assertThat(firsts(arrivals.awaitPayloads(List.of("b4"))))
          .containsExactly("b1", "b2", "b3", "b4");
    }
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.blocked_key"), keys -> keys == 0);
    assertThat(stand.number("select count(*) from millrace.parked")).isZero();
  }

  private void appendMany(String topic, String prefix, int count) throws Exception {
    stand.sql(
        ("select millrace.append('%s', 'order', '%s', 'changed', convert_to('%s' || n, 'UTF8'))"
                + " from generate_series(0, %d) n")
            .formatted(topic, order, prefix, count - 1));
  }

  private void awaitLanes(int count) {
    await("lanes")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.lane"), lanes -> lanes == count);
  }

  /** First occurrences, in their order. */
  private static List<String> firsts(List<String> payloads) {
    return payloads.stream().distinct().toList();
  }

  private static Arrivals arrivals(String topic) {
    return new Arrivals(stack.kafka().bootstrapServers(), topic);
  }
}
