package io.millrace.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.launcher.AdminPages;
import io.millrace.launcher.Arrivals;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.millrace.testkit.NodeProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ring of a running installation is turned, grown and cleaned, by one node at a time. */
class MaintenanceIT {
  private static final String TOPIC = "maintained";

  private static final DevStack stack = SharedStack.get();

  private Stand stand;

  @BeforeAll
  static void startServers() {
    stack.kafka().createTopic(TOPIC, 1, Map.of());
  }

  @BeforeEach
  void prepare() {
    stand = new Stand(stack);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  /** A ring that turns only for the reason that a test gives. */
  private static Map<String, Object> ring(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("maintenance.interval_ms", 50);
    values.put("maintenance.slots_max", Stand.SLOTS);
    values.put("maintenance.lock_timeout_ms", 100);
    values.putAll(own);
    return values;
  }

  @Test
  void when_the_node_that_maintains_is_killed_another_takes_over_within_about_the_lease(
      @TempDir Path directory) throws Exception {
    Map<String, Object> quick = Map.of("node.lease_duration_ms", 1_500);
    try (NodeProcess first = stand.startProcess("first", directory, ring(quick))) {
      awaitMaintainer("first");
      AdminPages pages =
          stand
              .start(
                  ring(
                      Map.of(
                          "node.id",
                          "second",
                          "node.lease_duration_ms",
                          1_500,
                          "maintenance.slot_age_max_ms",
                          50)))
              .pages();
      pages.awaitReady();
      assertThat(maintainer()).isEqualTo("first");
      long epoch = stand.number("select epoch from millrace.maintenance");
      first.kill();
      long killedAt = System.nanoTime();

      awaitMaintainer("second");

      // Lease 1.5 s, a heartbeat interval and a look more; the rest is for a loaded machine.
      assertThat(Duration.ofNanos(System.nanoTime() - killedAt)).isLessThan(Duration.ofSeconds(30));
      assertThat(stand.number("select epoch from millrace.maintenance")).isEqualTo(epoch + 1);
      long current = currentSlot();
      stand.sql(Stand.append(TOPIC, "o-1", "after the take-over"));
      await().atMost(Stand.LIMIT).until(this::currentSlot, slot -> slot != current);
    }
  }

  @Test
  void a_detached_slot_that_holds_messages_is_left_alone_and_told() throws Exception {
    AdminPages pages = stand.start(ring(Map.of())).pages();
    pages.awaitReady();
    int slot = Stand.SLOTS + 1;
    stand.sql(
        "create table millrace.outbox_slot_%d (like millrace.outbox including all)".formatted(slot),
        "insert into millrace.outbox_slot_%d (slot, aggregate_type, aggregate_id, topic, event_type,"
                .formatted(slot)
            + " payload) values (%d, 'order', 'a', '%s', 'paid', 'left behind')"
                .formatted(slot, TOPIC),
        "insert into millrace.slot (slot, state) values (%d, 'detached')".formatted(slot));

    pages.awaitReason("the detached slot %d holds messages".formatted(slot));
    assertThat(stand.number("select count(*) from millrace.outbox_slot_" + slot)).isEqualTo(1);
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      stand.sql(
          "with held as (delete from millrace.outbox_slot_%d returning *)".formatted(slot)
              + " insert into millrace.outbox (message_id, aggregate_type, aggregate_id, topic,"
              + " event_type, payload, created_at) select message_id, aggregate_type,"
              + " aggregate_id, topic, event_type, payload, created_at from held order by id");
      arrivals.awaitPayloads(List.of("left behind"));
    }
    pages.awaitReady();
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.slot where slot = " + slot) == 0);
  }

  @Test
  void a_node_that_was_called_dead_by_mistake_maintains_again() throws Exception {
    stand.start(ring(Map.of("node.id", "only")));
    awaitMaintainer("only");
    long epoch = stand.number("select epoch from millrace.maintenance");

    stand.sql("delete from millrace.node where role = 'maintenance'");

    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select epoch from millrace.maintenance"), e -> e > epoch);
    awaitMaintainer("only");
  }

  @Test
  void the_ring_turns_by_age_and_is_truncated_after_the_retention() throws Exception {
    stand.start(
        ring(Map.of("maintenance.slot_age_max_ms", 500, "maintenance.retention_ms", 1_000)));
    long first = currentSlot();
    stand.sql(Stand.append(TOPIC, "o-1", "by age"));

    await().atMost(Stand.LIMIT).until(this::currentSlot, slot -> slot != first);
    await().atMost(Stand.LIMIT).until(() -> stateOf(first), "published"::equals);
    assertThat(rowsOf(first)).isEqualTo(1);
    await().atMost(Stand.LIMIT).until(() -> stateOf(first), "free"::equals);
    assertThat(rowsOf(first)).isZero();
    assertThat(
            stand.number(
                "select floor(extract(epoch from truncated_at - published_at) * 1000) from millrace.slot"
                    + " where slot = "
                    + first))
        .isGreaterThanOrEqualTo(1_000);
  }

  @Test
  void an_empty_slot_never_turns() throws Exception {
    stand.start(ring(Map.of("maintenance.slot_age_max_ms", 50)));
    awaitRounds();
    assertThat(currentSlot()).isZero();
  }

  @Test
  void the_ring_turns_by_size_and_grows_ahead_of_need() throws Exception {
    stand.start(
        ring(
            Map.of(
                "maintenance.slot_bytes_max", 65_536,
                "maintenance.slots_max", 5,
                "maintenance.free_slots_min", 1)));
    for (int turn = 0; turn < 3; turn++) {
      long before = currentSlot();
      stand.sql(
          "select count(*) from generate_series(1, 100) n, millrace.append('"
              + TOPIC
              + "', 'order', 'o-' || n, 'changed', convert_to(repeat(md5(n::text), 40), 'UTF8'))");
      await().atMost(Stand.LIMIT).until(this::currentSlot, slot -> slot != before);
    }

    // Three are used, one is hot, and one is kept free ahead of need.
    await()
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number("select count(*) from millrace.slot where state = 'free'") == 1
                    && stand.number("select count(*) from millrace.slot") == 5);
  }

  @Test
  void a_full_ring_is_an_alarm_in_readiness_writers_go_on_and_it_recovers_by_itself()
      throws Exception {
    AdminPages pages =
        stand
            .start(ring(Map.of("maintenance.slot_age_max_ms", 200, "maintenance.retention_ms", 0)))
            .pages();
    try (Connection first = stand.connect();
        Connection second = stand.connect();
        Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      holdCurrentSlot(first);
      holdCurrentSlot(second);
      stand.sql(Stand.append(TOPIC, "o-1", "fills the last slot"));
      pages.awaitReason("the ring is full");
      stand.sql(Stand.append(TOPIC, "o-1", "writers go on"));
      arrivals.awaitPayloads(List.of("writers go on"));
      assertThat(pages.ready().tells("the ring is full")).isTrue();
      first.commit();
      second.rollback();

      pages.awaitReady();
      arrivals.awaitPayloads(List.of("held"));
      await()
          .atMost(Stand.LIMIT)
          .until(() -> stand.number("select count(*) from millrace.slot where state = 'free'") > 0);
    }
  }

  /** An open transaction that has written to the slot: it cannot be truncated, so others fill. */
  private void holdCurrentSlot(Connection connection) throws Exception {
    long held = currentSlot();
    connection.setAutoCommit(false);
    Stand.sql(connection, Stand.append(TOPIC, "o-2", "held"));
    stand.sql(Stand.append(TOPIC, "o-1", "makes the slot due"));
    await().atMost(Stand.LIMIT).until(this::currentSlot, slot -> slot != held);
  }

  private long currentSlot() throws Exception {
    return stand.number("select millrace.ring_current()");
  }

  private String stateOf(long slot) throws Exception {
    return stand.text("select state from millrace.slot where slot = " + slot);
  }

  private long rowsOf(long slot) throws Exception {
    return stand.number("select count(*) from millrace.outbox_slot_" + slot);
  }

  /** Heartbeats pass while rounds do: ten of them are many rounds. */
  private void awaitRounds() throws Exception {
    String counter =
        "select coalesce(max(counter), 0) from millrace.node where role = 'maintenance'";
    await().atMost(Stand.LIMIT).until(() -> stand.number(counter) >= 10);
  }

  private void awaitMaintainer(String name) {
    await().atMost(Stand.LIMIT).until(this::maintainer, name::equals);
  }

  private String maintainer() throws Exception {
    return stand.text(
        "select (select n.name from millrace.node n where n.node = m.owner) from millrace.maintenance m");
  }
}
