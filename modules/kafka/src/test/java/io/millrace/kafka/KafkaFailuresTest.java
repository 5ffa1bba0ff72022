package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.failure.FailureKind;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.BootstrapResolutionException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KafkaFailuresTest {

  @ParameterizedTest
  @MethodSource("kinds")
  void every_failure_has_its_kind(FailureKind kind, Throwable failure) {
    assertThat(KafkaFailures.classify(failure)).isEqualTo(kind);
    assertThat(KafkaFailures.classify(new ExecutionException(failure))).isEqualTo(kind);
    assertThat(KafkaFailures.classify(new CompletionException(failure))).isEqualTo(kind);
  }

  static Stream<Arguments> kinds() {
    return Stream.of(
            all(
                FailureKind.MESSAGE,
                new RecordTooLargeException("x"),
                new RecordBatchTooLargeException("x"),
                new InvalidRecordException("x"),
                new InvalidTimestampException("x"),
                new SerializationException("x"),
                new UnsupportedForMessageFormatException("x")),
            all(
                FailureKind.TOPIC,
                new UnknownTopicOrPartitionException("x"),
                new TopicAuthorizationException(Set.of("orders")),
                new InvalidTopicException("x")),
            all(
                FailureKind.TRANSIENT,
                new TimeoutException("x"),
                new BufferExhaustedException("x"),
                new DisconnectException("x"),
                new NetworkException("x"),
                new NotLeaderOrFollowerException("x"),
                new LeaderNotAvailableException("x"),
                new NotEnoughReplicasException("x"),
                new NotEnoughReplicasAfterAppendException("x"),
                new KafkaStorageException("x"),
                new UnknownTopicIdException("x"),
                new CorruptRecordException("x"),
                new BootstrapResolutionException("x"),
                new SaslAuthenticationException("x"),
                new SslAuthenticationException("x"),
                new ClusterAuthorizationException("x")),
            all(
                FailureKind.UNKNOWN_OUTCOME,
                new ProducerFencedException("x"),
                new InvalidProducerEpochException("x"),
                new InvalidPidMappingException("x"),
                new OutOfOrderSequenceException("x"),
                new UnknownProducerIdException("x"),
                new UnsupportedVersionException("x"),
                new UnknownServerException("x"),
                new KafkaException("x"),
                new IllegalStateException("x")),
            all(FailureKind.BROKEN, new NoClassDefFoundError("x"), new UnsatisfiedLinkError("x")))
        .flatMap(kind -> kind);
  }

  private static Stream<Arguments> all(FailureKind kind, Throwable... failures) {
    return Stream.of(failures).map(failure -> Arguments.of(kind, failure));
  }

  @Test
  void a_producer_ends_with_its_identity_and_not_with_a_record_or_a_time_out() {
    assertThat(KafkaFailures.endsProducer(new ProducerFencedException("x"))).isTrue();
    assertThat(KafkaFailures.endsProducer(new InvalidPidMappingException("x"))).isTrue();
    assertThat(KafkaFailures.endsProducer(new UnknownProducerIdException("x"))).isTrue();
    assertThat(KafkaFailures.endsProducer(new ClusterAuthorizationException("x"))).isTrue();
    assertThat(KafkaFailures.endsProducer(new ExecutionException(new IllegalStateException("x"))))
        .isTrue();
    assertThat(KafkaFailures.endsProducer(new TimeoutException("x"))).isFalse();
    assertThat(KafkaFailures.endsProducer(new RecordTooLargeException("x"))).isFalse();
    assertThat(KafkaFailures.endsProducer(new TopicAuthorizationException(Set.of("t")))).isFalse();
  }

  @Test
  void a_consumer_outlives_what_passes_by_itself_and_nothing_else() {
    assertThat(KafkaFailures.endsConsumer(new TimeoutException("x"))).isFalse();
    assertThat(KafkaFailures.endsConsumer(new SaslAuthenticationException("x"))).isFalse();
    assertThat(KafkaFailures.endsConsumer(new TopicAuthorizationException(Set.of("t")))).isFalse();
    assertThat(KafkaFailures.endsConsumer(new InvalidTopicException("x"))).isFalse();
    assertThat(KafkaFailures.endsConsumer(new GroupAuthorizationException("g"))).isTrue();
    assertThat(KafkaFailures.endsConsumer(new FencedInstanceIdException("x"))).isTrue();
    assertThat(KafkaFailures.endsConsumer(new KafkaException("x"))).isTrue();
    assertThat(KafkaFailures.endsConsumer(new IllegalStateException("x"))).isTrue();
    assertThat(KafkaFailures.endsConsumer(new OutOfMemoryError("x"))).isTrue();
  }
}
