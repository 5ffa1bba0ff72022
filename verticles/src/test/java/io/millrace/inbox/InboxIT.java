package io.millrace.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.client.MessageRefused;
import io.millrace.core.inbox.IdentityRule;
import io.millrace.core.message.HeaderName;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a consumer does with its messages, on a real PostgreSQL and a real Kafka. */
class InboxIT {
  private static final DevStack stack = SharedStack.get();

  private InboxCase inbox;

  @BeforeEach
  void prepare() throws SQLException {
    inbox = new InboxCase(stack, 1);
  }

  @AfterEach
  void end() {
    inbox.close();
  }

  @Test
  void a_message_is_applied_once_however_often_it_is_delivered() throws Exception {
    UUID early = inbox.send("k", "1");
    inbox.send(early, "k", "1");
    inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitApplied(1);
    UUID late = inbox.send("k", "2");
    inbox.send(late, "k", "2");
    inbox.send(early, "k", "1");
    inbox.send("k", "3");
    inbox.awaitPosition(6);

    assertThat(inbox.applied()).containsExactly("1", "2", "3");
  }

  @Test
  void what_was_there_before_and_after_a_restart_is_applied_once_in_order() throws Exception {
    IntStream.range(0, 30).forEach(i -> inbox.send("k", "" + i));
    Stand.Node first = inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitApplied(30);
    first.stop();
    IntStream.range(30, 60).forEach(i -> inbox.send("k", "" + i));
    inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitPosition(60);

    assertThat(inbox.applied())
        .containsExactlyElementsOf(IntStream.range(0, 60).mapToObj(i -> "" + i).toList());
  }

  @Test
  void of_a_batch_only_the_poison_message_is_parked_with_all_that_it_was() throws Exception {
    ProducerRecord<byte[], byte[]> poison =
        new ProducerRecord<>(inbox.topic, InboxCase.bytes("k2"), new byte[] {0, -1, 7});
    UUID id = InboxCase.newId();
    poison.headers().add(HeaderName.ID, InboxCase.bytes(id.toString()));
    poison.headers().add("none", null).add("twice", new byte[] {-2}).add("twice", new byte[0]);
    inbox.send("k1", "1");
    inbox.send(poison);
    inbox.send("k2", "3");
    AtomicInteger attempts = new AtomicInteger();
    inbox.start(
        inbox.consumer(
            (message, context) ->
                message.messageId().equals(id)
                    ? failing(attempts)
                    : InboxCase.apply(message, context)));
    inbox.awaitPosition(3);

    assertThat(inbox.applied()).containsExactly("1", "3");
    // Once in the batch, then as often as attempts are made.
    assertThat(attempts).hasValue(1 + 5);
    assertThat(
            inbox.stand.text(
                "select format('%s %s %s %s %s %s %s %s %s', consumer, topic_partition, record_offset,"
                    + " encode(record_key, 'escape'), payload, header_names, header_values, reason, attempts)"
                    + " from millrace.inbox_parked where message_id = '"
                    + id
                    + "'"))
        .startsWith("accounting 0 1 k2 \\x00ff07 {ce_id,none,twice,twice} {")
        .contains(",NULL,")
        .contains("fe")
        .endsWith("failed 5");
    assertThat(inbox.stand.text("select error from millrace.inbox_parked"))
        .contains("no such account");
  }

  private static Future<Void> failing(AtomicInteger attempts) {
    attempts.incrementAndGet();
    throw new IllegalStateException("no such account");
  }

  @Test
  void a_refused_message_is_parked_at_once() {
    AtomicInteger calls = new AtomicInteger();
    inbox.send("k", "bad");
    inbox.start(
        inbox.consumer(
            (message, context) -> {
              calls.incrementAndGet();
              return Future.failedFuture(new MessageRefused("not a number: bad"));
            }));
    inbox.awaitParked(1);

    assertThat(calls).hasValue(1);
    assertThat(inbox.column("select reason || ': ' || error from millrace.inbox_parked"))
        .singleElement()
        .asString()
        .startsWith("refused: ")
        .contains("not a number: bad");
  }

  @Test
  void a_parked_message_that_is_delivered_again_is_neither_applied_nor_parked_again()
      throws Exception {
    UUID bad = inbox.send("k", "bad");
    inbox.start(inbox.consumer(InboxIT::refuseBad));
    inbox.awaitParked(1);
    inbox.send(bad, "k", "bad");
    inbox.send("k", "good");
    inbox.awaitPosition(3);

    assertThat(inbox.applied()).containsExactly("good");
    assertThat(inbox.column("select reason from millrace.inbox_parked")).hasSize(1);
  }

  private static Future<Void> refuseBad(InboxMessage message, InboxContext context) {
    return message.payloadText().startsWith("bad")
        ? Future.failedFuture(new MessageRefused("bad"))
        : InboxCase.apply(message, context);
  }

  @Test
  void a_parked_message_blocks_its_key_if_order_is_asked_for() throws Exception {
    inbox.send("k1", "bad");
    inbox.send("k1", "behind");
    inbox.send("k2", "other key");
    inbox.start(inbox.consumer(InboxIT::refuseBad).ordered());
    inbox.awaitPosition(3);
    inbox.send("k1", "later");
    inbox.awaitPosition(4);

    assertThat(inbox.applied()).containsExactly("other key");
    assertThat(
            inbox.column(
                "select reason || ' ' || convert_from(payload, 'UTF8') from millrace.inbox_parked"
                    + " order by record_offset"))
        .containsExactly("refused bad", "behind_parked behind", "behind_parked later");
  }

  @Test
  void a_handler_that_never_completes_costs_its_message_and_not_the_membership() throws Exception {
    inbox.send("k1", "stuck");
    inbox.send("k2", "1");
    AtomicInteger assignments = new AtomicInteger();
    Stand.Node node =
        inbox.start(
            inbox.consumer(
                (message, context) -> {
                  assignments.incrementAndGet();
                  return message.payloadText().equals("stuck")
                      ? Promise.<Void>promise().future()
                      : InboxCase.apply(message, context);
                }),
            Map.of(
                "inbox.handler_timeout_ms",
                1_500,
                "inbox.attempts_max",
                4,
                "inbox.settle_timeout_ms",
                1_000,
                // The sum of the attempts is longer than a member may be silent.
                "inbox.properties.max.poll.interval.ms",
                4_000));
    inbox.awaitPosition(2);

    assertThat(inbox.applied()).containsExactly("1");
    assertThat(inbox.column("select reason from millrace.inbox_parked")).containsExactly("overdue");
    // One row when it began: nothing was given away and taken again.
    assertThat(
            inbox.stand.number("select count(*) from millrace.progress where reason is not null"))
        .isEqualTo(1);
    node.pages().awaitReady();
  }

  @Test
  void a_handler_that_returns_null_has_failed() throws Exception {
    inbox.send("k", "null");
    inbox.start(inbox.consumer((message, context) -> null), Map.of("inbox.attempts_max", 1));
    inbox.awaitPosition(1);

    assertThat(inbox.column("select error from millrace.inbox_parked"))
        .singleElement()
        .asString()
        .contains("null");
  }

  @Test
  void a_foreign_message_is_known_by_its_own_id_and_time() throws Exception {
    InboxConsumer consumer =
        inbox
            .consumer(InboxCase::apply)
            .withIdentity(new IdentityRule(HeaderName.ID, HeaderName.SOURCE, HeaderName.TIME));
    inbox.send(foreign("a", "order 17", "2999-13-01"));
    for (int i = 0; i < 2; i++) {
      inbox.send(foreign("a", "order 17", Instant.now().minusSeconds(60).toString()));
    }
    inbox.start(consumer);
    inbox.awaitPosition(3);
    inbox.send(foreign("b", "order 17", "" + System.currentTimeMillis()));
    inbox.awaitPosition(4);

    assertThat(inbox.applied()).containsExactly("from a", "from b");
    assertThat(inbox.column("select reason || error from millrace.inbox_parked"))
        .singleElement()
        .asString()
        .startsWith("no_identity")
        .contains("ce_time")
        .contains("2999-13-01");
  }

  private ProducerRecord<byte[], byte[]> foreign(String source, String id, String time) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(inbox.topic, InboxCase.bytes("k"), InboxCase.bytes("from " + source));
    record.headers().add(HeaderName.ID, InboxCase.bytes(id));
    record.headers().add(HeaderName.SOURCE, InboxCase.bytes(source));
    record.headers().add(HeaderName.TIME, InboxCase.bytes(time));
    return record;
  }

  @Test
  void a_message_without_an_identity_is_parked_once_however_often_it_is_read() throws Exception {
    inbox.send(new ProducerRecord<>(inbox.topic, null, InboxCase.bytes("who am I")));
    Stand.Node first = inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitPosition(1);
    first.stop();
    restartAt(0);
    inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitPosition(1);

    assertThat(inbox.applied()).isEmpty();
    assertThat(inbox.column("select reason || ' ' || error from millrace.inbox_parked"))
        .containsExactly("no_identity header ce_id with the message id is missing or no text");
  }

  private void restartAt(long offset) throws SQLException {
    inbox.stand.sql(
        ("select millrace.inbox_restart(c.consumer, c.topic, c.topic_id, c.topic_partition, 1, %d, -1,"
                + " array(select p.counter from millrace.chain_positions(c.consumer, c.topic_id, c.topic_partition) p),"
                + " 'test') from millrace.chain c where c.stripe = 0")
            .formatted(offset));
  }

  @Test
  void what_is_too_old_or_too_far_in_the_future_is_parked_and_not_guessed() throws Exception {
    long now = System.currentTimeMillis();
    inbox.send(InboxCase.idAt(now - TimeUnit.DAYS.toMillis(400)), "k", "old");
    inbox.send(InboxCase.idAt(now + TimeUnit.DAYS.toMillis(400)), "k", "future");
    inbox.send(InboxCase.idAt(now + TimeUnit.HOURS.toMillis(20)), "k", "tomorrow");
    inbox.send("k", "now");
    inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitPosition(4);

    assertThat(inbox.applied()).containsExactly("tomorrow", "now");
    assertThat(inbox.column("select reason from millrace.inbox_parked order by record_offset"))
        .containsExactly("beyond_dedup_window", "ahead_of_buckets");
  }

  @Test
  void keys_are_worked_on_side_by_side_and_each_in_its_order() throws Exception {
    Promise<Void> gate = Promise.promise();
    inbox.send("slow", "slow 0");
    IntStream.range(1, 200).forEach(i -> inbox.send("key " + i % 20, "" + i));
    inbox.send("slow", "slow 1");
    inbox.start(
        inbox
            .consumer(
                (message, context) ->
                    message.payloadText().equals("slow 0")
                        ? gate.future().compose(open -> InboxCase.apply(message, context))
                        : InboxCase.apply(message, context))
            .withStripes(8));
    // Other stripes go on, while the lowest unfinished position stands still.
    await().atMost(Stand.LIMIT).until(() -> inbox.applied().size() > 100);
    assertThat(inbox.applied()).doesNotContain("slow 1");
    assertThat(
            inbox.stand.number(
                "select min(to_offset) from (select distinct on (stripe) to_offset from millrace.progress"
                    + " order by stripe, counter desc) p"))
        .isZero();
    gate.complete();
    inbox.awaitApplied(201);

    assertThat(inbox.applied()).doesNotHaveDuplicates().containsSubsequence("slow 0", "slow 1");
    for (int key = 0; key < 20; key++) {
      List<String> payloads =
          inbox.column("select payload from applied where key = 'key " + key + "' order by n");
      assertThat(payloads).isSortedAccordingTo((a, b) -> Integer.compare(num(a), num(b)));
    }
  }

  private static int num(String text) {
    return Integer.parseInt(text);
  }

  @Test
  void another_number_of_stripes_goes_on_at_the_lowest_position_and_repeats_nothing()
      throws Exception {
    IntStream.range(0, 100).forEach(i -> inbox.send("key " + i % 10, "" + i));
    inbox.start(inbox.consumer(InboxCase::apply).withStripes(4)).stop();
    IntStream.range(100, 200).forEach(i -> inbox.send("key " + i % 10, "" + i));
    Stand.Node second = inbox.start(inbox.consumer(InboxCase::apply).withStripes(2));
    inbox.awaitApplied(150);
    second.stop();
    inbox.start(inbox.consumer(InboxCase::apply));
    inbox.awaitApplied(200);

    assertThat(inbox.applied()).hasSize(200).doesNotHaveDuplicates();
  }

  @Test
  void what_a_handler_appends_is_in_the_outbox_with_its_effect() throws Exception {
    inbox.send("k", "1");
    inbox.send("k", "2");
    AtomicInteger failures = new AtomicInteger();
    inbox.start(
        inbox.consumer(
            (message, context) ->
                context
                    .append(
                        NewMessage.of(
                            "answers", "account", "a", "booked", Payload.of(message.payloadText())))
                    .compose(appended -> InboxCase.apply(message, context))
                    .compose(
                        applied ->
                            failures.getAndIncrement() == 0
                                ? Future.failedFuture(new IllegalStateException("once"))
                                : Future.succeededFuture())));
    inbox.awaitPosition(2);

    assertThat(
            inbox.column("select convert_from(payload, 'UTF8') from millrace.outbox order by id"))
        .containsExactly("1", "2");
  }

  @Test
  void a_consumer_that_begins_at_the_end_reads_what_is_written_from_then_on() throws Exception {
    inbox.send("k", "before");
    Stand.Node node =
        inbox.start(inbox.consumer(InboxCase::apply), Map.of("inbox.start_at", "end"));
    inbox.awaitPosition(1);
    node.stop();
    inbox.send("k", "while it was away");
    inbox.start(inbox.consumer(InboxCase::apply), Map.of("inbox.start_at", "end"));
    inbox.awaitPosition(2);

    assertThat(inbox.applied()).containsExactly("while it was away");
  }

  @Test
  void a_handler_that_holds_the_event_loop_is_counted() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    inbox.send("k", "1");
    inbox.stand.start(
        inbox.config(Map.of()),
        builder ->
            builder
                .withMetrics(registry)
                .withConsumer(
                    inbox.consumer(
                        (message, context) -> {
                          holdFor(2 * InboxVerticle.BLOCKED_MS_MAX);
                          return InboxCase.apply(message, context);
                        })));
    inbox.awaitPosition(1);

    assertThat(registry.get("millrace.inbox.handler.blocked").counter().count()).isEqualTo(1);
    assertThat(registry.get("millrace.inbox.messages").tag("outcome", "applied").counter().count())
        .isEqualTo(1);
  }

  private static void holdFor(long ms) {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    while (System.nanoTime() < endNanos) {
      Thread.onSpinWait();
    }
  }

  @Test
  void slow_handlers_of_single_messages_are_not_given_more_than_they_can_do_in_time()
      throws Exception {
    IntStream.range(0, 60).forEach(i -> inbox.send("k", "" + i));
    AtomicInteger calls = new AtomicInteger();
    inbox.start(
        inbox.consumer(
            (message, context) -> {
              calls.incrementAndGet();
              return context
                  .connection()
                  .query("select pg_sleep(0.05)")
                  .execute()
                  .compose(slept -> InboxCase.apply(message, context));
            }),
        Map.of("inbox.handler_timeout_ms", 2_000));
    inbox.awaitPosition(60);

    // All at once they would need three seconds, of which there are two.
    assertThat(calls).hasValue(60);
    assertThat(inbox.applied()).hasSize(60);
  }

  @Test
  void what_a_handler_does_after_it_has_failed_is_not_executed() throws Exception {
    Promise<Void> gate = Promise.promise();
    Promise<Void> late = Promise.promise();
    inbox.send("k", "bad");
    inbox.start(
        inbox.consumer(
            (message, context) -> {
              Future<Void> branch =
                  gate.future().compose(open -> InboxCase.apply(message, context));
              branch.onComplete(late);
              return Future.all(
                      Future.failedFuture(new IllegalStateException("the other branch")), branch)
                  .mapEmpty();
            }),
        Map.of("inbox.attempts_max", 1));
    inbox.awaitParked(1);
    gate.complete();
    await().atMost(Stand.LIMIT).until(() -> late.future().isComplete());

    assertThat(late.future().cause()).hasMessageContaining("has ended");
    assertThat(inbox.applied()).isEmpty();
  }

  @Test
  void a_handler_cannot_end_the_transaction_or_give_the_connection_back() throws Exception {
    inbox.send("k", "1");
    inbox.start(
        inbox.consumer(
            (message, context) ->
                Future.join(context.connection().begin(), context.connection().close())
                    .transform(refused -> InboxCase.apply(message, context))));
    inbox.awaitPosition(1);

    assertThat(inbox.applied()).containsExactly("1");
  }

  @Test
  void a_constraint_that_is_checked_at_the_commit_costs_its_message_alone() throws Exception {
    inbox.stand.sql(
        "alter table applied add constraint once unique (payload) deferrable initially deferred");
    inbox.send("k", "1");
    inbox.send("k", "1");
    inbox.send("k", "2");
    inbox.start(inbox.consumer(InboxCase::apply), Map.of("inbox.attempts_max", 2));
    inbox.awaitPosition(3);

    assertThat(inbox.applied()).containsExactly("1", "2");
    assertThat(inbox.column("select reason || error from millrace.inbox_parked"))
        .singleElement()
        .asString()
        .startsWith("failed")
        .contains("once");
  }

  @Test
  void a_topic_partition_that_comes_later_is_read_from_its_beginning_whatever_start_at_says()
      throws Exception {
    Map<String, Object> atEnd = Map.of("inbox.start_at", "end");
    inbox.send("k", "before");
    Stand.Node node = inbox.start(inbox.consumer(InboxCase::apply), atEnd);
    inbox.awaitPosition(1);
    node.stop();
    stack.kafka().growTopic(inbox.topic, 2);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(inbox.topic, 1, InboxCase.bytes("k"), InboxCase.bytes("new"));
    record.headers().add(HeaderName.ID, InboxCase.bytes(InboxCase.newId().toString()));
    inbox.send(record);
    inbox.start(inbox.consumer(InboxCase::apply), atEnd);
    inbox.awaitApplied(1);

    assertThat(inbox.applied()).containsExactly("new");
  }
}
