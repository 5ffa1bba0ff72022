package io.millrace.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.inbox.Stripes;
import io.millrace.core.message.HeaderName;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.launcher.Stand;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a consumer's effects when something around it breaks: they happen once. */
@Tag("any-database")
class InboxFaultIT {
  private DevStack stack;
  private InboxCase inbox;

  @BeforeEach
  void start() throws SQLException {
    stack = DevStack.start(DevStackSpec.temporary());
    inbox = new InboxCase(stack, 4);
  }

  @AfterEach
  void end() {
    inbox.close();
    stack.close();
  }

  private List<String> send(int from, int to) {
    List<String> payloads = IntStream.range(from, to).mapToObj(i -> "" + i).toList();
    payloads.forEach(payload -> inbox.send("key " + Integer.parseInt(payload) % 16, payload));
    return payloads;
  }

  private void assertEachOnce(int count) {
    inbox.awaitApplied(count);
    assertThat(inbox.applied())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, count).mapToObj(i -> "" + i).toList());
    assertThat(inbox.column("select reason from millrace.inbox_parked")).isEmpty();
  }

  @Test
  void a_crash_of_the_database_costs_delay_only() throws Exception {
    Stand.Node node = inbox.start(inbox.consumer(InboxCase::apply));
    send(0, 100);
    inbox.awaitApplied(1);
    stack.postgres().kill();
    send(100, 150);
    node.pages().awaitReason("consumer accounting");
    stack.postgres().restart();
    send(150, 200);

    assertEachOnce(200);
    node.pages().awaitReady();
  }

  @Test
  void a_crash_of_the_broker_costs_delay_only() {
    Stand.Node node = inbox.start(inbox.consumer(InboxCase::apply));
    send(0, 100);
    inbox.awaitApplied(1);
    stack.kafka().kill();
    stack.kafka().restart();
    send(100, 200);

    assertEachOnce(200);
    node.pages().awaitReady();
  }

  @Test
  void a_table_that_is_missing_parks_nothing_however_long() throws Exception {
    inbox.stand.sql("alter table applied rename to elsewhere");
    Stand.Node node =
        inbox.start(inbox.consumer(InboxCase::apply), Map.of("inbox.attempts_max", 1));
    send(0, 20);
    node.pages().awaitReason("relation \"applied\" does not exist");
    inbox.stand.sql("alter table elsewhere rename to applied");

    assertEachOnce(20);
    node.pages().awaitReady();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.kafka.clients.consumer.RangeAssignor",
        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
        "consumer"
      })
  void members_that_come_and_go_under_load_apply_everything_once(String protocol) {
    Map<String, Object> own =
        protocol.equals("consumer")
            ? Map.of("inbox.properties.group.protocol", "consumer")
            : Map.of("inbox.properties.partition.assignment.strategy", protocol);
    Map<String, Object> config = inbox.config(own);
    if (protocol.equals("consumer")) {
      config.remove("inbox.properties.session.timeout.ms");
      config.remove("inbox.properties.heartbeat.interval.ms");
    }
    List<Stand.Node> nodes = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      send(round * 100, round * 100 + 50);
      nodes.add(
          inbox.stand.start(
              config,
              builder -> builder.withConsumer(inbox.consumer(InboxCase::apply).withStripes(2))));
      send(round * 100 + 50, round * 100 + 100);
      if (round % 2 == 1) {
        nodes.get(round - 1).stop();
      }
    }

    assertEachOnce(400);
    // Keys stay in order, whoever applied them.
    for (int key = 0; key < 16; key++) {
      List<Integer> applied =
          inbox
              .column("select payload from applied where key = 'key " + key + "' order by n")
              .stream()
              .map(Integer::valueOf)
              .toList();
      assertThat(applied).isSorted();
    }
  }

  /** What an asynchronous failover does: the newest transactions are gone, everywhere. */
  @Test
  void a_database_that_has_lost_its_newest_transactions_gets_them_again_and_in_order()
      throws Exception {
    inbox.start(inbox.consumer(InboxCase::apply));
    send(0, 100);
    inbox.awaitPosition(100);
    try (Connection connection = inbox.stand.connect()) {
      connection.setAutoCommit(false);
      Stand.sql(
          connection,
          "delete from millrace.inbox where message_id in (select message_id from applied where payload::int >= 40)",
          "delete from applied where payload::int >= 40",
          "delete from millrace.progress where from_offset is not null");
      connection.commit();
    }
    send(100, 120);

    assertEachOnce(120);
    for (int key = 0; key < 16; key++) {
      assertThat(
              inbox
                  .column("select payload from applied where key = 'key " + key + "' order by n")
                  .stream()
                  .map(Integer::valueOf)
                  .toList())
          .isSorted();
    }
  }

  @Test
  void a_member_that_is_behind_the_stored_position_goes_to_it_and_repeats_nothing()
      throws Exception {
    inbox.start(inbox.consumer(InboxCase::apply));
    send(0, 20);
    inbox.awaitPosition(20);
    // Another member, which the group knows nothing of, has gone on by three and is gone.
    inbox.stand.sql(
        "insert into millrace.progress (consumer, topic_id, topic_partition, stripe, stripe_count, counter,"
            + " from_offset, to_offset, leader_epoch) select distinct on (topic_partition) consumer, topic_id,"
            + " topic_partition, stripe, stripe_count, counter + 1, to_offset, to_offset + 1, leader_epoch"
            + " from millrace.progress order by topic_partition, counter desc");
    send(20, 60);
    inbox.awaitPosition(60);

    // One record of each topic partition counts as done by the other member.
    assertThat(inbox.applied()).hasSize(56).doesNotHaveDuplicates();
  }

  @Test
  void a_topic_that_is_made_anew_is_read_from_its_beginning() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    inbox.start(
        inbox.consumer(
            (message, context) -> {
              calls.incrementAndGet();
              return InboxCase.apply(message, context);
            }));
    send(0, 40);
    inbox.awaitApplied(40);
    stack.kafka().deleteTopic(inbox.topic);
    stack.kafka().createTopic(inbox.topic, 4, Map.of());
    send(40, 140);

    assertEachOnce(140);
    assertThat(
            inbox.column("select distinct reason from millrace.progress where reason is not null"))
        .containsExactlyInAnyOrder("first start at the beginning", "topic made anew");
  }

  @Test
  void a_topic_that_was_made_anew_meanwhile_is_read_from_its_beginning() {
    Stand.Node node = inbox.start(inbox.consumer(InboxCase::apply));
    send(0, 40);
    inbox.awaitApplied(40);
    node.stop();
    stack.kafka().deleteTopic(inbox.topic);
    stack.kafka().createTopic(inbox.topic, 4, Map.of());
    send(40, 140);
    inbox.start(inbox.consumer(InboxCase::apply));

    assertEachOnce(140);
  }

  @Test
  void records_that_expired_before_they_were_read_are_told_of_and_the_rest_is_applied()
      throws Exception {
    Stand.Node node = inbox.start(inbox.consumer(InboxCase::apply));
    send(0, 40);
    inbox.awaitPosition(40);
    node.stop();
    send(40, 80);
    stack.kafka().deleteRecords(inbox.topic, 0);
    send(80, 100);
    inbox.start(inbox.consumer(InboxCase::apply));

    await()
        .atMost(Stand.LIMIT)
        .until(
            () ->
                inbox
                        .column("select reason from millrace.progress where reason like 'records%'")
                        .size()
                    == 1);
    inbox.awaitPosition(100);
    assertThat(inbox.applied()).doesNotHaveDuplicates().contains("99").hasSizeLessThan(100);
  }

  @Test
  void calls_to_the_outside_are_made_once_though_the_transaction_failed_after_them()
      throws Exception {
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger failures = new AtomicInteger();
    inbox.start(
        inbox.consumer(
            (message, context) ->
                context
                    .once(
                        message,
                        "charge",
                        key -> {
                          calls.incrementAndGet();
                          return Future.succeededFuture(Buffer.buffer("receipt of " + key.text()));
                        })
                    .compose(
                        outcome ->
                            failures.incrementAndGet() <= 2
                                ? Future.failedFuture(new IllegalStateException("after the call"))
                                : Future.succeededFuture(outcome))
                    .compose(outcome -> InboxCase.apply(message, context))));
    inbox.send("k", "0");
    inbox.awaitApplied(1);

    assertThat(calls).hasValue(1);
    assertThat(inbox.column("select event from millrace.effect order by event"))
        .containsExactly("finished", "started");
  }

  @Test
  void a_database_that_goes_silent_costs_delay_only() throws Exception {
    Stand.Node node =
        inbox.start(
            inbox.consumer(InboxCase::apply),
            Map.of("inbox.handler_timeout_ms", 1_000, "inbox.lock_timeout_ms", 500));
    send(0, 50);
    inbox.awaitApplied(1);
    stack.postgres().pause();
    for (int i = 50; i < 100; i++) {
      inbox.send("key " + i % 16, "" + i);
    }
    // Longer than the server itself lets anything wait: the sessions are given up.
    node.pages().awaitReason("consumer accounting");
    stack.postgres().resume();

    assertEachOnce(100);
    node.pages().awaitReady();
  }

  @Test
  void a_new_leader_whose_records_are_all_of_one_stripe_is_no_other_log() throws Exception {
    Stand.Node node = inbox.start(inbox.consumer(InboxCase::apply).withStripes(2));
    sendToStripe(0, 0, 20);
    sendToStripe(1, 20, 30);
    inbox.awaitApplied(30);
    stack.kafka().kill();
    stack.kafka().restart();
    sendToStripe(1, 30, 60);
    inbox.awaitApplied(60);
    // The other stripe keeps up without records of its own.
    inbox.awaitPosition(2 * 60);
    node.stop();
    inbox.start(inbox.consumer(InboxCase::apply).withStripes(2));
    sendToStripe(0, 60, 80);

    assertEachOnce(80);
    assertThat(
            inbox.column("select distinct reason from millrace.progress where reason is not null"))
        .containsExactly("first start at the beginning");
    assertThat(inbox.stand.number("select count(distinct leader_epoch) from millrace.progress"))
        .as("leader epochs seen, besides the one before the first record")
        .isGreaterThanOrEqualTo(3);
  }

  /** All into one topic partition, with a key of the stripe. */
  private void sendToStripe(int stripe, int from, int to) {
    String key =
        IntStream.range(0, 100)
            .mapToObj(i -> "key " + i)
            .filter(k -> Stripes.of(Payload.of(k), 2) == stripe)
            .findFirst()
            .orElseThrow();
    for (int i = from; i < to; i++) {
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(inbox.topic, 0, InboxCase.bytes(key), InboxCase.bytes("" + i));
      record.headers().add(HeaderName.ID, InboxCase.bytes(InboxCase.newId().toString()));
      inbox.send(record);
    }
  }
}
