package io.millrace.kafka;

import static io.millrace.core.failure.FailureKind.BROKEN;
import static io.millrace.core.failure.FailureKind.MESSAGE;
import static io.millrace.core.failure.FailureKind.TOPIC;
import static io.millrace.core.failure.FailureKind.TRANSIENT;
import static io.millrace.core.failure.FailureKind.UNKNOWN_OUTCOME;
import static java.util.Map.entry;

import io.millrace.core.failure.FailureKind;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.BootstrapResolutionException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * What a failure of Kafka means: the one place that decides, by exception class. The nearest listed
 * class of an exception's ancestry counts. A time-out may hide a missing topic: that is found out
 * beforehand by asking for the topic, not here.
 */
public final class KafkaFailures {
  private static final Map<Class<?>, FailureKind> KINDS =
      Map.ofEntries(
          entry(RecordTooLargeException.class, MESSAGE),
          entry(RecordBatchTooLargeException.class, MESSAGE),
          entry(InvalidRecordException.class, MESSAGE),
          entry(InvalidTimestampException.class, MESSAGE),
          entry(SerializationException.class, MESSAGE),
          entry(UnsupportedForMessageFormatException.class, MESSAGE),
          entry(UnknownTopicOrPartitionException.class, TOPIC),
          entry(TopicAuthorizationException.class, TOPIC),
          entry(InvalidTopicException.class, TOPIC),
          // Time-outs, lost connections, leader changes, too few replicas, a checksum that was
          // damaged on the way.
          entry(RetriableException.class, TRANSIENT),
          entry(BootstrapResolutionException.class, TRANSIENT),
          // An operator must act, but nothing is wrong with the message.
          entry(AuthenticationException.class, TRANSIENT),
          entry(ClusterAuthorizationException.class, TRANSIENT),
          // A compression library that this machine cannot load.
          entry(LinkageError.class, BROKEN));

  private static final Set<Class<?>> FATAL =
      Set.of(
          ProducerFencedException.class,
          InvalidProducerEpochException.class,
          InvalidPidMappingException.class,
          OutOfOrderSequenceException.class,
          ClusterAuthorizationException.class,
          UnsupportedVersionException.class,
          IllegalStateException.class);

  // What is known to leave the consumer as it was. A forbidden group is not among them: the newer
  // group protocol gives its member up for good then.
  private static final Set<Class<?>> SURVIVED_BY_CONSUMER =
      Set.of(
          RetriableException.class,
          AuthenticationException.class,
          TopicAuthorizationException.class,
          InvalidTopicException.class);

  private KafkaFailures() {}

  /** The kind of a failure; of the cause, where the failure only wraps one for a future. */
  public static FailureKind classify(Throwable failure) {
    for (Class<?> type = unwrap(failure).getClass(); type != null; type = type.getSuperclass()) {
      FailureKind kind = KINDS.get(type);
      if (kind != null) {
        return kind;
      }
    }
    return UNKNOWN_OUTCOME;
  }

  /**
   * Whether the producer may be of no use after this failure, or its sequence numbers not be
   * trusted: it should be discarded.
   */
  public static boolean endsProducer(Throwable failure) {
    for (Class<?> type = unwrap(failure).getClass(); type != null; type = type.getSuperclass()) {
      if (FATAL.contains(type)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a consumer may be of no use after this failure, or may have skipped records: it should
   * be discarded.
   */
  static boolean endsConsumer(Throwable failure) {
    for (Class<?> type = unwrap(failure).getClass(); type != null; type = type.getSuperclass()) {
      if (SURVIVED_BY_CONSUMER.contains(type)) {
        return false;
      }
    }
    return true;
  }

  static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    boolean isWrapper =
        failure instanceof ExecutionException || failure instanceof CompletionException;
    return isWrapper && cause != null ? unwrap(cause) : failure;
  }
}
