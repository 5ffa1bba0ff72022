package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.core.message.HeaderName;
import io.millrace.devstack.DevStack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What was published goes out once more, beside what is live. */
@Tag("any-database")
class ReplayIT {
  private static final int SHARD = 1;

  private static final DevStack stack = SharedStack.get();

  private Stand stand;
  private String topic;
  private String other;
  private String order;
  private String second;

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    topic = "replayed-" + System.nanoTime();
    other = "other-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    stack.kafka().createTopic(other, 1, Map.of());
    List<String> orders = stand.ordersOfShard(SHARD, 2);
    order = orders.get(0);
    second = orders.get(1);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  @Test
  void a_window_of_time_goes_out_again_with_its_ids_marked_in_order_and_no_cursor_moves()
      throws Exception {
    // Idle receipts would move the cursor in the meantime.
    AdminPages pages = startMeasured(Map.of("relay.idle_receipt_interval_ms", 600_000));
    append(topic, order, "before", 3);
    append(topic, second, "before", 3);
    String from = now();
    append(topic, order, "in", 20);
    append(topic, second, "in", 20);
    String to = now();
    append(topic, order, "after", 3);
    try (Arrivals arrivals = arrivals(topic)) {
      List<ConsumerRecord<byte[], byte[]>> live = arrivals.await(49);
      awaitCursor();
      String receipts = receipts();

      long replay = start("p_from_at => '%s', p_to_at => '%s'".formatted(from, to));

      awaitState(replay, "done");
      List<ConsumerRecord<byte[], byte[]>> again = arrivals.await(89).subList(49, 89);
      assertThat(arrivals.read()).hasSize(89);
      assertThat(live).allSatisfy(record -> assertThat(marks(record)).isEmpty());
      assertThat(again)
          .allSatisfy(record -> assertThat(marks(record)).containsExactly("" + replay));
      List<ConsumerRecord<byte[], byte[]>> original = live.subList(6, 46);
      assertThat(ids(again)).isEqualTo(ids(original));
      for (int i = 0; i < again.size(); i++) {
        assertThat(again.get(i).key()).isEqualTo(original.get(i).key());
        assertThat(again.get(i).value()).isEqualTo(original.get(i).value());
        assertThat(headersWithoutMark(again.get(i))).isEqualTo(headersWithoutMark(original.get(i)));
      }
      assertThat(receipts()).isEqualTo(receipts);
      assertThat(sent(replay)).isEqualTo(40);
      assertThat(pages.metric("millrace_messages_replayed_total"))
          .containsExactly("millrace_messages_replayed_total 40.0");
      assertThat(pages.replay(replay).getString("state")).isEqualTo("done");
      assertThat(pages.replay(replay).getDouble("progress")).isEqualTo(1.0);
    }
  }

  @Test
  void a_topic_or_an_aggregate_goes_out_again_to_its_own_or_to_another_topic() throws Exception {
    String elsewhere = stand.orderOfShard(2);
    stand.start(Map.of());
    append(topic, order, "a", 5);
    append(other, order, "o", 2);
    append(topic, second, "b", 5);
    append(topic, elsewhere, "e", 5);
    String target = "target-" + System.nanoTime();
    stack.kafka().createTopic(target, 1, Map.of());
    awaitCursor();

    awaitState(start("p_topic => '%s', p_target_topic => '%s'".formatted(topic, target)), "done");
    try (Arrivals arrivals = arrivals(target);
        Arrivals own = arrivals(topic)) {
      List<String> payloads = Arrivals.texts(arrivals.await(15));
      assertThat(payloads).hasSize(15).doesNotHaveDuplicates();
      for (String prefix : List.of("a", "b", "e")) {
        assertThat(payloads.stream().filter(p -> p.startsWith(prefix)))
            .isEqualTo(payloads(prefix, 5));
      }

      awaitState(start("p_aggregate_type => 'order', p_aggregate_id => '" + second + "'"), "done");
      List<String> all = Arrivals.texts(own.await(20));
      assertThat(all.subList(15, 20)).isEqualTo(payloads("b", 5));
      assertThat(arrivals.read()).hasSize(15);
    }
  }

  @Test
  void live_messages_flow_while_a_replay_is_throttled_and_a_cancelled_one_stops() throws Exception {
    AdminPages pages = startMeasured(Map.of());
    append(topic, order, "old", 500);
    awaitCursor();
    String target = "target-" + System.nanoTime();
    stack.kafka().createTopic(target, 1, Map.of());
    long replay =
        start("p_topic => '%s', p_target_topic => '%s', p_rate => 20".formatted(topic, target));
    try (Arrivals arrivals = arrivals(target);
        Arrivals live = arrivals(topic)) {
      arrivals.await(1);
      append(topic, order, "new", 50);
      live.awaitPayloads(payloads("new", 50));
      awaitCheckpoints(replay, 3);
      assertThat(pages.replay(replay).getString("state")).isEqualTo("running");
      assertThat(pages.replay(replay).getLong("messages_left")).isBetween(1L, 500L);
      awaitRunning(pages, 1);

      stand.sql("select millrace.cancel_replay(" + replay + ", 'ann', 'seen enough')");
      // At most what came since the last checkpoint, and the page on its way.
      long counted = sent(replay);
      awaitRunning(pages, 0);
      append(topic, order, "last", 5);
      live.awaitPayloads(payloads("last", 5));
      List<String> gone = Arrivals.texts(arrivals.await((int) counted));
      assertThat(gone).isEqualTo(payloads("old", gone.size()));
      assertThat(arrivals.read().size()).isLessThanOrEqualTo((int) counted + 40);
    }
    // By the database's clock: never more than the rate allows, a page ahead.
    assertThat(
            stand.text(
                "select sent <= 20 + 20 * extract(epoch from checked_at - created_at)"
                    + " from millrace.replay_shard join millrace.replay using (replay_id)"))
        .isEqualTo("t");
  }

  @Test
  void a_rate_is_kept_over_all_shards_by_the_databases_clock() throws Exception {
    stand.start(Map.of());
    for (int shard = 0; shard < Stand.SHARDS; shard++) {
      append(topic, stand.orderOfShard(shard), "s" + shard, 20);
    }
    awaitCursor();
    long replay =
        start("p_topic => '%s', p_target_topic => '%s', p_rate => 40".formatted(topic, other));
    awaitState(replay, "done");
    assertThat(sent(replay)).isEqualTo(80);
    // 80 messages at 40 a second, of which a first page of a second's worth goes out at once.
    assertThat(stand.text("select finished_at - created_at >= interval '1 s' from millrace.replay"))
        .isEqualTo("t");
    // One page a shard and second: not one checkpoint a message.
    assertThat(stand.number("select max(checkpoints) from millrace.replay_shard")).isLessThan(10);
  }

  @Test
  void live_messages_that_wait_go_first_and_the_replay_says_so() throws Exception {
    AdminPages pages =
        startMeasured(Map.of("relay.batch_rows_max", 1, "relay.batches_in_flight_max", 1));
    append(other, order, "old", 5);
    awaitCursor();
    long replay;
    // The first live message stays unanswered, the others unread.
    stack.kafka().pause();
    try {
      append(topic, order, "live", 5);
      await("a live message is on its way")
          .atMost(Stand.LIMIT)
          .until(
              () -> pages.metric("millrace_bytes_in_flight"),
              lines -> !lines.isEmpty() && !lines.equals(List.of("millrace_bytes_in_flight 0.0")));
      replay = start("p_topic => '" + other + "'");
      awaitWhy(pages, replay, "live messages of the shard go first");
      assertThat(sent(replay)).isZero();
    } finally {
      stack.kafka().resume();
    }
    awaitState(replay, "done");
    try (Arrivals arrivals = arrivals(other)) {
      assertThat(Arrivals.texts(arrivals.await(10)).subList(5, 10)).isEqualTo(payloads("old", 5));
    }
  }

  @Test
  void a_paused_shard_says_so_and_the_replay_ends_when_it_is_resumed() throws Exception {
    AdminPages pages = stand.start(Map.of()).pages();
    append(topic, order, "p", 5);
    append(topic, stand.orderOfShard(2), "q", 5);
    awaitCursor();
    stand.sql("select millrace.pause_shard(" + SHARD + ", 'ann')");
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.text("select owner from millrace.shard where shard = 1").equals("null"));
    long replay = start("p_topic => '" + topic + "'");
    await().atMost(Stand.LIMIT).until(() -> pages.replay(replay).getInteger("shards_done") == 1);
    assertThat(pages.replay(replay).getJsonArray("laggards").getJsonObject(0).getString("why"))
        .isEqualTo("the shard is paused");
    assertThat(pages.replay(replay).getString("state")).isEqualTo("running");

    stand.sql("select millrace.resume_shard(" + SHARD + ", 'ann')");
    awaitState(replay, "done");
    assertThat(sent(replay)).isEqualTo(10);
  }

  @Test
  void a_refused_message_is_skipped_with_its_reason_and_the_others_go_out() throws Exception {
    stand.start(Map.of());
    stand.sql(
        Stand.append(topic, order, "small 1"),
        Stand.append(topic, order, "x".repeat(3_000)),
        Stand.append(topic, order, "small 2"));
    awaitCursor();
    String small = "small-" + System.nanoTime();
    stack.kafka().createTopic(small, 1, Map.of("max.message.bytes", "2000"));

    long replay = start("p_topic => '%s', p_target_topic => '%s'".formatted(topic, small));

    awaitState(replay, "done");
    try (Arrivals arrivals = arrivals(small)) {
      assertThat(arrivals.awaitPayloads(List.of("small 1", "small 2")))
          .containsExactly("small 1", "small 2");
    }
    assertThat(stand.text("select sent || ' ' || skipped from millrace.replay_status"))
        .isEqualTo("2 1");
    assertThat(stand.text("select skip_reason from millrace.replay_status"))
        .contains("max.message.bytes of topic " + small + " is 2000");
    assertThat(stand.number("select count(*) from millrace.parked")).isZero();
  }

  @Test
  void a_missing_target_topic_ends_it_and_neither_opens_a_lane_nor_parks_anything()
      throws Exception {
    AdminPages pages = stand.start(Map.of()).pages();
    append(topic, order, "p", 5);
    awaitCursor();
    String missing = "missing-" + System.nanoTime();
    long replay = start("p_topic => '%s', p_target_topic => '%s'".formatted(topic, missing));

    awaitState(replay, "failed");
    assertThat(stand.text("select end_reason from millrace.replay")).contains(missing);
    assertThat(stand.number("select count(*) from millrace.lane")).isZero();
    assertThat(stand.number("select count(*) from millrace.parked")).isZero();
    append(topic, order, "live", 5);
    try (Arrivals live = arrivals(topic)) {
      live.awaitPayloads(payloads("live", 5));
    }
    pages.awaitReady();
  }

  private AdminPages startMeasured(Map<String, ?> own) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    return stand.start(own, builder -> builder.withMetrics(registry)).pages();
  }

  private long start(String filters) throws Exception {
    return stand.number("select millrace.start_replay('ann', 'lost', " + filters + ")");
  }

  private void append(String to, String aggregate, String prefix, int count) throws Exception {
    stand.sql(
        ("select millrace.append('%s', 'order', '%s', 'changed', convert_to('%s' || n, 'UTF8'))"
                + " from generate_series(0, %d) n")
            .formatted(to, aggregate, prefix, count - 1));
  }

  private static List<String> payloads(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(n -> prefix + n).toList();
  }

  private String now() throws Exception {
    return stand.text("select clock_timestamp()");
  }

  /** Every receipt that is there. */
  private String receipts() throws Exception {
    return stand.text(
        "select string_agg(r::text, ';' order by shard, lane, epoch, counter) from millrace.receipt r");
  }

  /** Waits until everything appended so far is published. */
  private void awaitCursor() {
    await("published")
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number("select count(*) from millrace.message where state = 'waiting'") == 0);
  }

  private void awaitState(long replay, String state) {
    await("replay " + replay)
        .atMost(Stand.LIMIT)
        .until(
            () -> stand.text("select state from millrace.replay where replay_id = " + replay),
            state::equals);
  }

  private void awaitCheckpoints(long replay, int count) {
    await("checkpoints")
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number(
                    "select sum(checkpoints) from millrace.replay_shard where replay_id = "
                        + replay),
            found -> found >= count);
  }

  private static void awaitRunning(AdminPages pages, int count) {
    await("running replays")
        .atMost(Stand.LIMIT)
        .until(
            () -> pages.metric("millrace_replays_running"),
            lines -> lines.equals(List.of("millrace_replays_running " + count + ".0")));
  }

  /** Waits until the shard with most left says this. */
  private static void awaitWhy(AdminPages pages, long replay, String why) {
    await("why it waits")
        .atMost(Stand.LIMIT)
        .until(
            () ->
                pages.replay(replay).getJsonArray("laggards").getJsonObject(0).getString("why", ""),
            why::equals);
  }

  private long sent(long replay) throws Exception {
    return stand.number("select sent from millrace.replay_status where replay_id = " + replay);
  }

  private static List<String> marks(ConsumerRecord<byte[], byte[]> record) {
    return Arrivals.headers(record, HeaderName.REPLAY);
  }

  private static List<String> ids(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().flatMap(r -> Arrivals.headers(r, HeaderName.ID).stream()).toList();
  }

  private static Map<String, List<String>> headersWithoutMark(
      ConsumerRecord<byte[], byte[]> record) {
    Map<String, List<String>> headers = new HashMap<>();
    record
        .headers()
        .forEach(
            header ->
                headers
                    .computeIfAbsent(header.key(), key -> new ArrayList<>())
                    .add(Arrivals.text(header.value())));
    headers.remove(HeaderName.REPLAY);
    return headers;
  }

  private static Arrivals arrivals(String topic) {
    return new Arrivals(stack.kafka().bootstrapServers(), topic);
  }
}
