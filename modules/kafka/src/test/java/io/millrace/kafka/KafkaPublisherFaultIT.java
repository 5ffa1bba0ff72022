package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaPublisherFaultIT {
  private static final int REQUEST_MS_MAX = 1_000;
  private static KafkaServer kafka;

  private final String topic = "t-" + UUID.randomUUID();
  private EventLoop loop;
  private KafkaPublisher publisher;

  @BeforeAll
  static void startKafka() {
    kafka = KafkaServer.start(KafkaSpec.defaults());
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @BeforeEach
  void makePublisher() {
    kafka.createTopic(topic, 3, Map.of());
    loop = new EventLoop();
    publisher = publisher(Map.of("request.timeout.ms", Integer.toString(REQUEST_MS_MAX)));
  }

  @AfterEach
  void closeAll() {
    if (kafka.isRunning()) {
      kafka.resume();
    } else {
      kafka.restart();
    }
    loop.await(publisher::close);
    loop.close();
  }

  @Test
  void what_was_in_flight_when_a_broker_was_killed_is_acknowledged_without_another_attempt() {
    PublishStream stream = open();
    List<CompletableFuture<PublishOutcome>> outcomes = new ArrayList<>();
    start(stream, outcomes, 0, 1);
    EventLoop.await(outcomes.get(0));
    kafka.pause();
    start(stream, outcomes, 1, 20);
    awaitHandOver();
    kafka.kill();
    assertThat(outcomes.get(1)).isNotDone();
    kafka.restart();

    assertThat(outcomes).allMatch(outcome -> EventLoop.await(outcome).isAcknowledged());
    assertEverythingArrivedOnceAndInOrder(1_000);
  }

  @Test
  void who_repeats_what_a_killed_broker_refused_loses_nothing_and_keeps_the_order() {
    CompletableFuture<Void> restarted = new CompletableFuture<>();
    PublishStream stream = open();
    int rounds = 0;
    for (long next = 0; next < 5_000; rounds++) {
      List<CompletableFuture<PublishOutcome>> outcomes = new ArrayList<>();
      start(stream, outcomes, (int) next / 50, (int) next / 50 + 20);
      if (rounds == 2) {
        kafka.kill();
        restarted.completeAsync(this::restart);
      }
      next += outcomes.stream().takeWhile(o -> EventLoop.await(o).isAcknowledged()).count() * 50;
      if (outcomes.stream().anyMatch(outcome -> !EventLoop.await(outcome).isAcknowledged())) {
        loop.await(stream::settle);
        stream = open();
      }
      assertThat(rounds).isLessThan(50);
    }

    assertThat(restarted).isDone();
    Map<String, List<Long>> ids = reader().idsByKey(topic);
    for (int key = 0; key < 10; key++) {
      assertThat(ids.get("key-" + key).stream().distinct())
          .containsExactlyElementsOf(idsOfKey(key, 5_000));
    }
  }

  private Void restart() {
    kafka.restart();
    return null;
  }

  @Test
  void a_broker_that_stands_still_for_longer_than_a_request_may_take_costs_delay_only() {
    PublishStream stream = open();
    List<CompletableFuture<PublishOutcome>> outcomes = new ArrayList<>();
    start(stream, outcomes, 0, 1);
    EventLoop.await(outcomes.get(0));
    kafka.pause();
    start(stream, outcomes, 1, 20);
    assertNoAnswerWithin(3 * REQUEST_MS_MAX);
    assertThat(outcomes.get(19)).isNotDone();
    kafka.resume();

    assertThat(outcomes).allMatch(outcome -> EventLoop.await(outcome).isAcknowledged());
    assertEverythingArrivedOnceAndInOrder(1_000);
  }

  @Test
  void a_discard_answers_what_is_in_flight_as_unknown_and_a_fresh_producer_repeats_in_order() {
    PublishStream stream = open();
    List<OutboxMessage> messages = Messages.batch(topic, 1, 1, 5);
    publish(stream, Messages.of(topic, "key-0", 0));
    kafka.pause();
    CompletableFuture<PublishOutcome> outcome = startAndHandOver(stream, messages);

    loop.await(publisher::discard);
    assertThat(outcome).isCompleted();
    assertThat(outcome.join().refusals())
        .extracting(Refusal::message)
        .containsExactlyElementsOf(messages);
    assertThat(outcome.join().refusals())
        .allMatch(refusal -> refusal.kind() == FailureKind.UNKNOWN_OUTCOME)
        .allMatch(Refusal::wasHandedOver);

    kafka.resume();
    PublishStream next = open();
    assertThat(EventLoop.await(loop.start(() -> next.publish(messages))).isAcknowledged()).isTrue();
    assertThat(reader().idsByKey(topic).get("key-0").stream().distinct())
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void settling_waits_for_what_is_in_flight() {
    PublishStream stream = open();
    publish(stream, Messages.of(topic, "key-0", 0));
    kafka.pause();
    CompletableFuture<PublishOutcome> outcome =
        startAndHandOver(stream, Messages.batch(topic, 1, 1, 5));
    CompletableFuture<Void> settled = loop.start(stream::settle);
    assertNoAnswerWithin(REQUEST_MS_MAX);
    assertThat(settled).isNotDone();
    kafka.resume();

    EventLoop.await(settled);
    assertThat(outcome).isCompletedWithValueMatching(PublishOutcome::isAcknowledged);
  }

  @Test
  void a_topic_that_cannot_be_asked_for_is_not_a_missing_topic() {
    PublishStream stream = open();
    kafka.pause();

    assertThat(publish(stream, Messages.of(topic, "key-0", 0)).refusals())
        .hasSize(1)
        .allMatch(refusal -> refusal.kind() == FailureKind.TRANSIENT && !refusal.wasHandedOver());
  }

  @Test
  void a_publisher_made_while_the_broker_is_away_works_when_it_comes() {
    kafka.kill();
    loop.await(publisher::close);
    publisher = publisher(Map.of());
    assertThat(publish(open(), Messages.of(topic, "key-0", 0)).refusals())
        .extracting(Refusal::kind)
        .containsExactly(FailureKind.TRANSIENT);
    kafka.restart();

    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> publish(open(), Messages.of(topic, "key-0", 0)).isAcknowledged());
  }

  @Test
  void a_full_buffer_refuses_the_rest_as_transient_and_keeps_what_it_has() {
    loop.await(publisher::close);
    publisher = publisher(Map.of("buffer.memory", "100000", "max.block.ms", "500"));
    PublishStream stream = open();
    PublishStream other = open();
    publish(stream, Messages.of(topic, "key-0", 0));
    kafka.pause();
    List<OutboxMessage> tooMuch =
        LongStream.range(1, 100)
            .mapToObj(id -> Messages.ofSize(topic, "key-0", id, 9_000))
            .toList();
    CompletableFuture<PublishOutcome> outcome = startAndHandOver(stream, tooMuch);
    assertThat(publish(other, Messages.ofSize(topic, "key-0", 100, 9_000)).refusals())
        .extracting(Refusal::kind)
        .containsExactly(FailureKind.TRANSIENT);
    kafka.resume();

    List<Refusal> refusals = EventLoop.await(outcome).refusals();
    int taken = tooMuch.size() - refusals.size();
    assertThat(taken).isPositive();
    assertThat(refusals)
        .extracting(Refusal::message)
        .containsExactlyElementsOf(tooMuch.subList(taken, tooMuch.size()));
    assertThat(refusals)
        .allMatch(refusal -> refusal.kind() == FailureKind.TRANSIENT && !refusal.wasHandedOver());
    assertThat(reader().readAll(topic)).hasSize(1 + taken);
  }

  @Test
  void a_topic_that_is_deleted_under_way_is_found_missing_after_a_discard() throws Exception {
    publish(open(), Messages.of(topic, "key-0", 0));
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
    }
    CompletableFuture<PublishOutcome> outcome =
        startAndHandOver(open(), List.of(Messages.of(topic, "key-0", 1)));

    loop.await(publisher::discard);
    assertThat(outcome.join().refusals()).hasSize(1);
    assertThat(publish(open(), Messages.of(topic, "key-0", 1)).refusals())
        .extracting(Refusal::kind)
        .containsExactly(FailureKind.TOPIC);
  }

  /** Batches of 50 messages with 10 keys. */
  private void start(
      PublishStream stream, List<CompletableFuture<PublishOutcome>> outcomes, int from, int to) {
    for (int batch = from; batch < to; batch++) {
      List<OutboxMessage> messages = Messages.batch(topic, 10, batch * 50L, 50);
      outcomes.add(loop.start(() -> stream.publish(messages)));
    }
  }

  private CompletableFuture<PublishOutcome> startAndHandOver(
      PublishStream stream, List<OutboxMessage> batch) {
    CompletableFuture<PublishOutcome> outcome = loop.start(() -> stream.publish(batch));
    awaitHandOver();
    return outcome;
  }

  /** The producer has what was published before: a run begins when the one before it has ended. */
  private void awaitHandOver() {
    AtomicInteger asked = new AtomicInteger();
    PublishStream behind = loop.call(() -> publisher.open(() -> asked.incrementAndGet() == 0));
    publish(behind, Messages.of(topic, "key-0", Long.MAX_VALUE));
    assertThat(asked).hasValue(1);
  }

  private void assertEverythingArrivedOnceAndInOrder(int messages) {
    Map<String, List<Long>> ids = reader().idsByKey(topic);
    for (int key = 0; key < 10; key++) {
      assertThat(ids.get("key-" + key)).containsExactlyElementsOf(idsOfKey(key, messages));
    }
  }

  private static List<Long> idsOfKey(int key, int messages) {
    return LongStream.iterate(key, id -> id < messages, id -> id + 10).boxed().toList();
  }

  private static void assertNoAnswerWithin(int millis) {
    try (Admin admin = admin()) {
      DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs(millis);
      assertThatThrownBy(() -> admin.describeCluster(options).clusterId().get())
          .hasCauseInstanceOf(TimeoutException.class);
    }
  }

  private static Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
  }

  private KafkaPublisher publisher(Map<String, String> properties) {
    return KafkaPublisher.create(
        loop.vertx(), new KafkaSettings(kafka.bootstrapServers(), properties, "/test"));
  }

  private PublishStream open() {
    return loop.call(() -> publisher.open(() -> true));
  }

  private PublishOutcome publish(PublishStream stream, OutboxMessage... messages) {
    return loop.await(() -> stream.publish(List.of(messages)));
  }

  private static TopicReader reader() {
    return new TopicReader(kafka.bootstrapServers());
  }
}
