package io.millrace.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.HeaderName;
import io.millrace.core.message.OutboxMessage;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaPublisherIT {
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
    loop = new EventLoop();
    publisher = publisher(Map.of());
  }

  @AfterEach
  void closeAll() {
    loop.await(publisher::close);
    loop.close();
  }

  @Test
  void batches_that_are_not_waited_for_keep_the_order_of_every_key() {
    kafka.createTopic(topic, 4, Map.of());
    PublishStream stream = open();
    List<CompletableFuture<PublishOutcome>> outcomes = new ArrayList<>();
    for (int batch = 0; batch < 60; batch++) {
      List<OutboxMessage> messages = Messages.batch(topic, 20, batch * 100L, 100);
      outcomes.add(loop.start(() -> stream.publish(messages)));
    }

    assertThat(outcomes).allMatch(outcome -> EventLoop.await(outcome).isAcknowledged());
    Map<String, List<Long>> ids = reader().idsByKey(topic);
    assertThat(ids).hasSize(20);
    for (int key = 0; key < 20; key++) {
      assertThat(ids.get("key-" + key))
          .containsExactlyElementsOf(
              LongStream.iterate(key, id -> id < 6_000, id -> id + 20)::iterator);
    }
  }

  @Test
  void a_record_arrives_with_its_headers_in_the_topic_partition_of_its_key() {
    kafka.createTopic(topic, 7, Map.of());

    assertThat(publish(open(), Messages.of(topic, "o-1", 42)).isAcknowledged()).isTrue();
    List<ConsumerRecord<byte[], byte[]>> records = reader().readAll(topic);
    assertThat(records).hasSize(1);
    ConsumerRecord<byte[], byte[]> record = records.get(0);
    assertThat(record.partition()).isEqualTo(KeyHash.topicPartition("o-1".getBytes(UTF_8), 7));
    assertThat(header(record, HeaderName.ID)).isEqualTo(new UUID(42, 42).toString());
    assertThat(header(record, HeaderName.SOURCE)).isEqualTo("/test");
    assertThat(header(record, HeaderName.MESSAGE_POSITION)).isEqualTo("42");
    assertThat(header(record, "traceparent")).isEqualTo("again");
  }

  @Test
  void a_missing_topic_is_refused_alone_and_works_as_soon_as_it_is_there() {
    kafka.createTopic(topic, 1, Map.of());
    PublishStream other = open();
    CompletableFuture<PublishOutcome> refused =
        loop.start(() -> openHere().publish(List.of(Messages.of(topic + "-not-there", "k", 1))));

    assertThat(publish(other, Messages.of(topic, "k", 1)).isAcknowledged()).isTrue();
    Refusal refusal = EventLoop.await(refused).refusals().get(0);
    assertThat(refusal.kind()).isEqualTo(FailureKind.TOPIC);
    assertThat(refusal.wasHandedOver()).isFalse();
    assertThat(refusal.cause()).hasMessageContaining(topic + "-not-there");

    kafka.createTopic(topic + "-not-there", 1, Map.of());
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> publish(open(), Messages.of(topic + "-not-there", "k", 1)).isAcknowledged());
  }

  @Test
  void with_a_missing_topic_in_it_nothing_of_a_batch_is_handed_over_and_the_stream_stays_broken() {
    kafka.createTopic(topic, 1, Map.of());
    PublishStream stream = open();

    PublishOutcome outcome =
        publish(
            stream,
            Messages.of(topic, "k", 1),
            Messages.of(topic + "-not-there", "k", 2),
            Messages.of(topic, "k", 3));
    assertThat(outcome.refusals())
        .extracting(Refusal::kind)
        .containsExactly(FailureKind.TRANSIENT, FailureKind.TOPIC, FailureKind.TRANSIENT);
    assertThat(publish(stream, Messages.of(topic, "k", 4)).refusals())
        .extracting(Refusal::kind)
        .containsExactly(FailureKind.TRANSIENT);
    assertThat(reader().readAll(topic)).isEmpty();
  }

  @Test
  void
      a_record_larger_than_its_topic_allows_holds_its_whole_batch_back_and_a_raised_limit_is_seen() {
    kafka.createTopic(topic, 1, Map.of("max.message.bytes", "2000"));

    PublishOutcome outcome =
        publish(
            open(),
            Messages.of(topic, "k", 1),
            Messages.ofSize(topic, "k", 2, 10_000),
            Messages.of(topic, "k", 3));
    assertThat(outcome.refusals())
        .extracting(Refusal::kind, Refusal::wasHandedOver)
        .containsExactly(
            tuple(FailureKind.TRANSIENT, false),
            tuple(FailureKind.MESSAGE, false),
            tuple(FailureKind.TRANSIENT, false));
    assertThat(outcome.refusals().get(1).cause())
        .hasMessageContaining("max.message.bytes of topic " + topic + " is 2000");
    assertThat(reader().readAll(topic)).isEmpty();

    kafka.alterTopic(topic, Map.of("max.message.bytes", "20000"));
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> publish(open(), Messages.ofSize(topic, "k", 4, 10_000)).isAcknowledged());
  }

  @Test
  void a_topic_that_is_gone_is_ailing_while_another_one_is_well() {
    kafka.createTopic(topic, 1, Map.of());
    assertThat(publish(open(), Messages.of(topic, "k", 1)).isAcknowledged()).isTrue();
    String gone = topic + "-gone";

    assertThat(loop.await(() -> publisher.ailing(List.of(topic, gone))))
        .hasSize(1)
        .extractingByKey(gone)
        .satisfies(ailment -> assertThat(ailment.isGone()).isTrue());
    assertThat(loop.await(() -> publisher.probe(topic))).isNull();
  }

  @Test
  void a_record_that_only_the_broker_finds_too_large_is_a_refused_message() {
    kafka.createTopic(topic, 1, Map.of("max.message.bytes", "2000"));
    loop.await(publisher::close);
    publisher = publisher(Map.of("compression.type", "gzip"));

    PublishOutcome outcome = publish(open(), Messages.ofSize(topic, "k", 1, 10_000));
    assertThat(outcome.refusals()).hasSize(1);
    assertThat(outcome.refusals().get(0).kind()).isEqualTo(FailureKind.MESSAGE);
    assertThat(outcome.refusals().get(0).wasHandedOver()).isTrue();
    assertThat(outcome.refusals().get(0).cause()).hasMessageContaining(new UUID(1, 1).toString());
    assertThat(publish(open(), Messages.of(topic, "k", 2)).isAcknowledged()).isTrue();
  }

  @Test
  void behind_a_record_that_is_too_large_for_the_producer_nothing_more_of_its_stream_goes() {
    kafka.createTopic(topic, 1, Map.of());
    loop.await(publisher::close);
    publisher = publisher(Map.of("max.request.size", "5000"));
    PublishStream stream = open();
    assertThat(publish(stream, Messages.of(topic, "k", 1)).isAcknowledged()).isTrue();

    PublishOutcome outcome =
        publish(
            stream,
            Messages.of(topic, "k", 2),
            Messages.ofSize(topic, "k", 3, 10_000),
            Messages.of(topic, "k", 4));
    assertThat(outcome.refusals())
        .extracting(refusal -> refusal.message().id(), Refusal::kind, Refusal::wasHandedOver)
        .containsExactly(
            tuple(3L, FailureKind.MESSAGE, false), tuple(4L, FailureKind.TRANSIENT, false));
    assertThat(reader().idsByKey(topic)).containsExactly(Map.entry("k", List.of(1L, 2L)));
  }

  @Test
  void without_the_lease_nothing_is_handed_over() {
    kafka.createTopic(topic, 1, Map.of());
    PublishStream stream = loop.call(() -> publisher.open(() -> false));

    PublishOutcome outcome =
        publish(stream, Messages.of(topic, "k", 1), Messages.of(topic, "k", 2));
    assertThat(outcome.refusals())
        .hasSize(2)
        .allMatch(refusal -> refusal.kind() == FailureKind.TRANSIENT && !refusal.wasHandedOver());
    assertThat(reader().readAll(topic)).isEmpty();
  }

  @Test
  void the_first_record_of_a_topic_partition_goes_alone_and_the_owner_is_asked_again_behind_it() {
    kafka.createTopic(topic, 1, Map.of());
    AtomicInteger asked = new AtomicInteger();
    PublishStream stream = loop.call(() -> publisher.open(() -> asked.incrementAndGet() == 1));

    PublishOutcome outcome = loop.await(() -> stream.publish(Messages.batch(topic, 1, 0, 10)));
    assertThat(outcome.refusals()).hasSize(9).noneMatch(Refusal::wasHandedOver);
    assertThat(reader().idsByKey(topic)).containsExactly(Map.entry("key-0", List.of(0L)));
  }

  @Test
  void after_a_discard_streams_are_broken_and_new_ones_work() {
    kafka.createTopic(topic, 1, Map.of());
    PublishStream old = open();
    assertThat(publish(old, Messages.of(topic, "k", 1)).isAcknowledged()).isTrue();

    loop.await(publisher::discard);
    assertThat(publish(old, Messages.of(topic, "k", 2)).refusals())
        .hasSize(1)
        .noneMatch(Refusal::wasHandedOver);
    assertThat(publish(open(), Messages.of(topic, "k", 3)).isAcknowledged()).isTrue();
    assertThat(reader().idsByKey(topic)).containsExactly(Map.entry("k", List.of(1L, 3L)));
  }

  @Test
  void many_shards_that_discard_at_once_discard_one_producer() {
    loop.call(this::openHere);

    assertThat(
            loop.call(
                () -> {
                  Future<Void> first = publisher.discard();
                  return first == publisher.discard();
                }))
        .isTrue();
    loop.await(publisher::discard);
  }

  @Test
  void what_was_published_before_a_close_is_acknowledged_and_nothing_is_taken_after_it() {
    kafka.createTopic(topic, 1, Map.of());
    PublishStream stream = open();
    assertThat(publish(stream, Messages.of(topic, "k", 1)).isAcknowledged()).isTrue();
    CompletableFuture<PublishOutcome> last =
        loop.start(() -> stream.publish(List.of(Messages.of(topic, "k", 2))));

    loop.await(publisher::close);
    assertThat(last).isCompleted();
    assertThat(publish(stream, Messages.of(topic, "k", 3)).refusals()).hasSize(1);
    assertThat(publish(open(), Messages.of(topic, "k", 4)).refusals()).hasSize(1);
  }

  @Test
  void a_settled_stream_takes_nothing_more() {
    kafka.createTopic(topic, 1, Map.of());
    PublishStream stream = open();
    publish(stream, Messages.of(topic, "k", 1));

    loop.await(stream::settle);
    loop.await(stream::settle);
    assertThat(publish(stream, Messages.of(topic, "k", 2)).refusals()).hasSize(1);
  }

  @Test
  void an_empty_batch_is_acknowledged() {
    assertThat(publish(open()).isAcknowledged()).isTrue();
  }

  private KafkaPublisher publisher(Map<String, String> properties) {
    return KafkaPublisher.create(
        loop.vertx(), new KafkaSettings(kafka.bootstrapServers(), properties, "/test"));
  }

  private PublishStream open() {
    return loop.call(this::openHere);
  }

  private PublishStream openHere() {
    return publisher.open(() -> true);
  }

  private PublishOutcome publish(PublishStream stream, OutboxMessage... messages) {
    return loop.await(() -> stream.publish(List.of(messages)));
  }

  private static TopicReader reader() {
    return new TopicReader(kafka.bootstrapServers());
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }
}
