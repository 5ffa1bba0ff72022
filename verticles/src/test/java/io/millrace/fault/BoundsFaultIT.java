package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.launcher.Arrivals;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.millrace.testkit.NodeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Much of everything, relayed by a process with a heap of 256 MB that ends at its first
 * out-of-memory error. {@code -Dmillrace.bounds.rows=N} sets how much.
 */
@Tag("any-database")
class BoundsFaultIT {
  private static final int ROWS = Integer.getInteger("millrace.bounds.rows", 100_000);
  private static final Duration LIMIT = Duration.ofSeconds(60 + ROWS / 500);
  private static final String TOPIC = "bounds";

  private static final DevStack stack = SharedStack.get();

  @TempDir Path directory;
  private Stand stand;
  private NodeProcess node;
  private int nodes;

  @BeforeEach
  void prepare() {
    stand = new Stand(stack);
  }

  @AfterEach
  void end() {
    if (node != null) {
      node.close();
    }
    stand.close();
  }

  private void startNode(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>(own);
    values.put("admin.enabled", false);
    node = stand.startProcess("node" + ++nodes, directory, values);
    Path log = directory.resolve("node" + nodes + ".log");
    await(log.toString())
        .atMost(LIMIT)
        .until(() -> Files.exists(log) && Files.readString(log).contains("Millrace runs"));
  }

  @Test
  void a_backlog_is_drained_in_order() throws Exception {
    String topic = topic(1_048_588);
    append(topic, ROWS, "'p' || n", "n % 1000");
    startNode(Map.of());
    assertAllArriveInOrder(topic, ROWS);
  }

  @Test
  void a_transaction_of_very_many_rows_that_commits_late_is_swept_without_holding_others_up()
      throws Exception {
    String topic = topic(1_048_588);
    startNode(Map.of("relay.ids_scanned_max", 10_000));
    try (Connection late = stand.connect()) {
      late.setAutoCommit(false);
      Stand.sql(late, appendSql(topic, ROWS, "'p' || n", "n % 1000"));
      // Ids above the late ones are passed meanwhile.
      String quick = topic(1_048_588);
      append(quick, 1_000, "'q' || n", "'quick' || n % 10");
      assertAllArriveInOrder(quick, 1_000);
      late.commit();
    }
    assertAllArriveInOrder(topic, ROWS);
  }

  @Test
  void large_empty_and_tombstone_payloads_pass_beside_each_other() throws Exception {
    String topic = topic(1_048_588);
    int each = 100;
    stand.sql(
        "select millrace.append('%s', 'order', 'big' || n, 'changed', case n %% 3 when 0 then convert_to(repeat('x', 900000), 'UTF8') when 1 then ''::bytea end) from generate_series(1, %d) n"
            .formatted(topic, 3 * each));
    startNode(Map.of("relay.bytes_in_flight_max", 16_777_216));
    int large = 0;
    int empty = 0;
    int tombstones = 0;
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      for (ConsumerRecord<byte[], byte[]> record : arrivals.await(3 * each)) {
        byte[] value = record.value();
        large += value != null && value.length == 900_000 ? 1 : 0;
        empty += value != null && value.length == 0 ? 1 : 0;
        tombstones += value == null ? 1 : 0;
      }
    }
    assertThat(new int[] {large, empty, tombstones}).containsExactly(each, each, each);
  }

  @Test
  void very_many_parked_messages_survive_a_restart_and_go_out_in_order() throws Exception {
    String topic = topic(2_000);
    int parked = ROWS / 2;
    String large = "case when n < 10 then repeat('x', 5000) else '' end || 'p' || n";
    append(topic, parked, large, "n % 10");
    startNode(Map.of());
    awaitParked(parked);
    node.close();
    startNode(Map.of());
    append(topic, 100, "'flows' || n", "'other' || n");
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      arrivals.await(100);
    }
    stack.kafka().alterTopic(topic, Map.of("max.message.bytes", "1048588"));
    stand.sql("select millrace.redrive('test', 'limit raised', p_topic => '%s')".formatted(topic));
    awaitParked(0);
    assertThat(stand.number("select count(*) from millrace.blocked_key")).isZero();
    assertAllArriveInOrder(topic, parked + 100);
  }

  @Test
  void very_many_messages_for_a_missing_topic_wait_while_others_flow_and_catch_up_in_order()
      throws Exception {
    String missing = "missing-" + System.nanoTime();
    String topic = topic(1_048_588);
    startNode(Map.of());
    append(missing, ROWS, "'p' || n", "n % 1000");
    append(topic, 1_000, "'q' || n", "n % 1000");
    assertAllArriveInOrder(topic, 1_000);
    stack.kafka().createTopic(missing, 1, Map.of());
    assertAllArriveInOrder(missing, ROWS);
    await("no lanes")
        .atMost(LIMIT)
        .until(() -> stand.number("select count(*) from millrace.lane"), lanes -> lanes == 0);
  }

  private static String topic(int bytesMax) {
    String name = TOPIC + System.nanoTime();
    stack.kafka().createTopic(name, 1, Map.of("max.message.bytes", String.valueOf(bytesMax)));
    return name;
  }

  /** Aggregate by aggregate, revisions from 1 on: what order is checked by. */
  private void append(String topic, int rows, String payload, String order) throws Exception {
    stand.sql(appendSql(topic, rows, payload, order));
  }

  private static String appendSql(String topic, int rows, String payload, String order) {
    return ("insert into millrace.outbox (aggregate_type, aggregate_id, topic, event_type, payload, revision)"
            + " select 'order', (%s)::text, '%s', 'changed', convert_to(%s, 'UTF8'), n"
            + " from generate_series(0, %d) n")
        .formatted(order, topic, payload, rows - 1);
  }

  private void awaitParked(int count) {
    await("parked")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> stand.number("select count(*) from millrace.parked"), parked -> parked == count);
  }

  private void assertAllArriveInOrder(String topic, int count) {
    OrderedCount counted = new OrderedCount(stack.kafka().bootstrapServers(), topic);
    assertThat(counted.await(count, LIMIT)).as("distinct messages of " + topic).isEqualTo(count);
    assertThat(counted.disorders()).as("aggregates out of order").isEmpty();
  }
}
