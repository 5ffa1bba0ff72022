package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.inbox.TopicSettings;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaTopicReaderIT {
  private static final long SEVEN_DAYS_MS = Duration.ofDays(7).toMillis();

  private static KafkaServer kafka;

  private final String topic = "t-" + UUID.randomUUID();
  private EventLoop loop;
  private KafkaTopicReader reader;

  @BeforeAll
  static void startKafka() {
    kafka = KafkaServer.start(KafkaSpec.defaults());
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @BeforeEach
  void makeReader() {
    loop = new EventLoop();
    reader = KafkaTopicReader.create(loop.vertx(), kafka.bootstrapServers(), Map.of());
  }

  @AfterEach
  void closeAll() {
    loop.await(reader::close);
    loop.close();
  }

  @Test
  void a_topic_has_the_settings_that_it_was_made_with() {
    kafka.createTopic(topic, 3, Map.of("retention.ms", "60000", "segment.ms", "45000"));

    TopicSettings settings = read().orElseThrow();
    assertThat(settings.topic()).isEqualTo(topic);
    assertThat(settings.partitionCount()).isEqualTo(3);
    assertThat(settings.retentionMs()).hasValue(60_000);
    assertThat(settings.segmentMs()).isEqualTo(45_000);
    Uuid id = new Topics(kafka.bootstrapServers()).describe(topic).topicId();
    assertThat(settings.topicId())
        .isEqualTo(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
  }

  @Test
  void what_a_topic_does_not_set_comes_from_the_broker() {
    kafka.createTopic(topic, 1, Map.of());

    TopicSettings settings = read().orElseThrow();
    assertThat(settings.retentionMs()).hasValue(SEVEN_DAYS_MS);
    assertThat(settings.segmentMs()).isEqualTo(SEVEN_DAYS_MS);
  }

  @ParameterizedTest
  @CsvSource({
    "delete, -1, -1",
    "compact, 60000, -1",
    "'compact,delete', 60000, 60000",
    "'delete,compact', -1, -1"
  })
  void only_deletion_by_time_ends_the_life_of_a_record(
      String policy, String retentionMs, long expectedMs) {
    kafka.createTopic(topic, 1, Map.of("cleanup.policy", policy, "retention.ms", retentionMs));

    assertThat(read().orElseThrow().retentionMs().orElse(-1)).isEqualTo(expectedMs);
  }

  @Test
  void a_topic_that_is_made_anew_has_another_id() {
    kafka.createTopic(topic, 1, Map.of());
    UUID before = read().orElseThrow().topicId();
    new Topics(kafka.bootstrapServers()).recreate(kafka, topic, 1);

    assertThat(read().orElseThrow().topicId()).isNotEqualTo(before);
  }

  @Test
  void a_missing_topic_has_no_settings() {
    assertThat(read()).isEmpty();
  }

  @Test
  void a_name_that_no_topic_can_have_is_a_failure_of_the_topic() {
    assertThatThrownBy(() -> loop.await(() -> reader.settings("no such/name")))
        .cause()
        .asInstanceOf(InstanceOfAssertFactories.type(Failure.class))
        .extracting(Failure::kind)
        .isEqualTo(FailureKind.TOPIC);
  }

  @Test
  void a_broker_that_does_not_answer_is_no_missing_topic() {
    kafka.createTopic(topic, 1, Map.of());
    assertThat(read()).isPresent();
    kafka.pause();
    try {
      assertThatThrownBy(this::read)
          .cause()
          .hasMessageContaining(topic)
          .asInstanceOf(InstanceOfAssertFactories.type(Failure.class))
          .extracting(Failure::kind)
          .isEqualTo(FailureKind.TRANSIENT);
    } finally {
      kafka.resume();
    }
  }

  private Optional<TopicSettings> read() {
    return loop.await(() -> reader.settings(topic));
  }
}
