package io.millrace.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresSpec;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Debezium with the shipped configuration takes the outbox over from the relay, is killed, and
 * gives it back.
 */
@Tag("any-database")
class DebeziumIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir Path directory;

  private final List<String> committed = new ArrayList<>();
  private long revision;

  private DevStack stack;
  private Shop shop;
  private Debezium debezium;

  @BeforeEach
  void startServers() throws SQLException {
    stack =
        DevStack.start(
            new DevStackSpec(
                PostgresSpec.fromSystemProperty()
                    .withSettings(
                        Map.of(
                            "wal_level",
                            "logical",
                            "max_prepared_transactions",
                            Shop.hasFailover() ? "5" : "0")),
                KafkaSpec.defaults()));
    shop = new Shop(stack);
    debezium = Debezium.inEngine(stack, Shop.DATABASE, directory);
  }

  @AfterEach
  void stopServers() throws SQLException {
    debezium.close();
    shop.close();
    stack.close();
  }

  @Test
  void everything_is_applied_once_from_the_relay_to_debezium_and_back() throws Exception {
    Shop.Node relay = shop.start(true);
    append(20);
    switchToDebezium(relay);
    append(10);
    assertNothingIsEmptied();

    debezium.start();
    awaitBooked();
    assertThatThrownBy(() -> shop.start(true))
        .hasMessageContaining("relay.enabled is true, and Debezium publishes the outbox since");
    killUnderLoad();
    debezium.start();
    awaitBooked();
    awaitEmptiedWhileNothingIsAppended();
    if (Shop.hasFailover()) {
      appendInTwoPhases();
      awaitBooked();
    }

    List<String> both = switchBack();
    assertThat(shop.text("select count(*) from pg_publication")).isEqualTo("0");
    shop.start(true);
    append(20);
    awaitBooked();
    assertAppliedOnceAndInOrder();
    assertNothingElseIsPublishedAndAllOfItAlike(both);
  }

  @Test
  @Tag("long")
  void debezium_that_is_started_too_early_makes_the_relay_rest_and_goes_on_where_it_was()
      throws Exception {
    Shop.Node relay = shop.start(true);
    append(20);
    shop.prepareDebezium();
    debezium.start();
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(shop.text("select millrace.relay_refusal()"))
                    .as(debezium::log)
                    .contains("the replication slot millrace_outbox may publish the outbox too"));
    await().atMost(LIMIT).until(() -> shop.number("select count(owner) from millrace.shard") == 0);
    assertThat(shop.useDebezium()).contains("start Debezium when this returns null");
    assertThatThrownBy(() -> shop.start(true))
        .hasMessageContaining("the replication slot millrace_outbox may publish the outbox too");
    append(10);
    debezium.stop();

    awaitSwitch(relay);
    append(10);
    debezium.start();
    awaitBooked();
    awaitEmptiedWhileNothingIsAppended();

    // What it has confirmed last is no message.
    debezium.kill();
    append(10);
    debezium.start();
    awaitBooked();
    assertAppliedOnceAndInOrder();
  }

  @Test
  @Tag("long")
  void a_worker_of_kafka_connect_does_the_same() throws Exception {
    debezium = Debezium.inConnect(stack, Shop.DATABASE, directory);
    Shop.Node relay = shop.start(true);
    append(20);
    switchToDebezium(relay);
    debezium.start();
    awaitBooked();
    killUnderLoad();
    debezium.start();
    awaitBooked();
    awaitEmptiedWhileNothingIsAppended();

    List<String> both = switchBack();
    shop.start(true);
    append(20);
    awaitBooked();
    assertAppliedOnceAndInOrder();
    assertNothingElseIsPublishedAndAllOfItAlike(both);
  }

  private void append(int count) {
    for (int i = 0; i < count; i++) {
      revision++;
      committed.add(shop.append("o" + revision % 5, revision));
    }
  }

  private void awaitBooked() {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(shop.number("select count(distinct message_id) from booked"))
                    .as(debezium::log)
                    .isEqualTo(committed.size()));
  }

  private void switchToDebezium(Shop.Node relay) {
    shop.prepareDebezium();
    append(10);
    awaitSwitch(relay);
  }

  /** With messages that commit meanwhile, which must reach Debezium. */
  private void awaitSwitch(Shop.Node relay) {
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              append(1);
              return shop.useDebezium() == null;
            });
    append(1);
    await().atMost(LIMIT).until(() -> shop.number("select count(owner) from millrace.shard") == 0);
    relay.stop();
    shop.start(false);
  }

  /** The ring has turned, and waits for the replication slot. */
  private void assertNothingIsEmptied() {
    await()
        .atMost(LIMIT)
        .until(
            () ->
                shop.number(
                        "select count(*) from millrace.slot where state = 'draining'"
                            + " and postponed like 'replication: confirmed up to%'")
                    > 0);
    List<String> kept = shop.column("select message_id from millrace.outbox");
    assertThat(kept).containsAll(committed.subList(committed.size() - 10, committed.size()));
  }

  /** Debezium's heartbeats are all that is written. */
  private void awaitEmptiedWhileNothingIsAppended() {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(shop.number("select count(*) from millrace.outbox"))
                    .as(() -> shop.column("select postponed from millrace.slot") + debezium.log())
                    .isZero());
  }

  private void killUnderLoad() {
    append(50);
    debezium.kill();
    append(50);
  }

  /** As a transaction manager does, while the connector runs. */
  private void appendInTwoPhases() throws SQLException {
    revision++;
    committed.add(shop.appendPrepared("two", revision, "later"));
    append(1);
    shop.sql("commit prepared 'later'");
  }

  /** Returns what is published by both: by Debezium, and, behind the noted point, by the relay. */
  private List<String> switchBack() {
    // What Debezium has confirmed may be gone from the ring before the relay comes to it.
    shop.stopMaintaining();
    assertThat(shop.useRelay()).contains("leave Debezium running");
    List<String> both = List.of(shop.appendInFull("full", 1), shop.appendEmpty("gone", 1));
    committed.addAll(both);
    awaitBooked();
    await().atMost(LIMIT).until(() -> String.valueOf(shop.useRelay()).endsWith(": stop Debezium"));
    debezium.stop();
    await().atMost(LIMIT).until(() -> shop.useRelay() == null);
    shop.dropReplicationSlot();
    return both;
  }

  private void assertAppliedOnceAndInOrder() {
    assertThat(shop.column("select message_id from booked"))
        .containsExactlyInAnyOrderElementsOf(committed);
    assertThat(
            shop.number(
                "select count(*) from (select revision < lag(revision) over (partition by aggregate"
                    + " order by number) as is_late from booked) b where is_late"))
        .isZero();
  }

  private void assertNothingElseIsPublishedAndAllOfItAlike(List<String> both) throws Exception {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> both.forEach(Records.of(stack, Shop.TOPIC)::assertPublishedByBoth));
    Records records = Records.of(stack, Shop.TOPIC);
    assertThat(records.messageIds()).isEqualTo(new HashSet<>(committed));
    records.assertTheSameOfEachMessage();
    ConsumerRecord<byte[], byte[]> full = records.ofDebezium(both.get(0));
    assertThat(Records.text(full.key())).isEqualTo("its key");
    assertThat(full.value()).containsExactly(0, 255);
    assertThat(Records.header(full, "own")).isEqualTo("b");
    assertThat(Records.header(full, "traceparent")).isEqualTo("00-ab");
    assertThat(records.ofDebezium(both.get(1)).value()).as("a tombstone").isNull();
    assertThat(Records.topics(stack)).containsOnly(Shop.TOPIC, Debezium.HEARTBEATS);
  }
}
