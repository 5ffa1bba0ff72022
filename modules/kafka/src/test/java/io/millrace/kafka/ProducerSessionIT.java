package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.failure.FailureKind;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A session alone, told of topics that the broker does not know, or not any more. */
class ProducerSessionIT {
  private static KafkaServer kafka;

  private final String topic = "t-" + UUID.randomUUID();

  @BeforeAll
  static void startKafka() {
    kafka = KafkaServer.start(KafkaSpec.defaults());
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @Test
  void nothing_of_a_batch_is_published_while_the_leaders_of_one_of_its_topics_are_unknown() {
    kafka.createTopic(topic, 1, Map.of());
    String unknown = topic + "-unknown";

    PublishOutcome outcome = enqueue(Map.of(topic, 1, unknown, 1));

    assertThat(outcome.refusals())
        .extracting(refusal -> refusal.message().topic())
        .containsExactly(topic, unknown);
    assertThat(outcome.refusals()).noneMatch(Refusal::wasHandedOver);
    assertThat(outcome.refusals()).extracting(Refusal::kind).containsOnly(FailureKind.TRANSIENT);
    assertThat(outcome.refusals().get(1).cause()).hasMessageContaining(unknown);
    assertThat(new TopicReader(kafka.bootstrapServers()).readAll(topic)).isEmpty();
  }

  /** One message for each topic, in the topics' order. */
  private static PublishOutcome enqueue(Map<String, Integer> partitionCounts) {
    KafkaSettings settings = new KafkaSettings(kafka.bootstrapServers(), Map.of(), "/test");
    Map<String, String> properties = new HashMap<>(ClientProperties.producer(settings));
    properties.put("max.block.ms", "500");
    RecordEncoder encoder = new RecordEncoder("/test");
    try (EventLoop loop = new EventLoop();
        Admin admin = Admin.create(ClientProperties.admin(settings))) {
      SendThread sendThread = new SendThread(loop.vertx(), properties, encoder);
      TopicDirectory directory = new TopicDirectory(loop.vertx(), admin);
      PublishOutcome outcome =
          loop.await(
              () -> {
                Context context = loop.vertx().getOrCreateContext();
                ProducerSession session =
                    new ProducerSession(context, sendThread, directory, () -> {});
                SizeCheck check = new SizeCheck(directory, encoder, false);
                KafkaPublishStream stream =
                    new KafkaPublishStream(context, session, check, () -> true);
                Batch batch =
                    new Batch(
                        stream,
                        context,
                        partitionCounts.keySet().stream()
                            .sorted()
                            .map(each -> Messages.of(each, "key", 1))
                            .toList());
                session.enqueue(batch, partitionCounts);
                return batch.outcome();
              });
      loop.await(() -> sendThread.closeProducer(Duration.ZERO));
      loop.await(sendThread::close);
      return outcome;
    }
  }
}
