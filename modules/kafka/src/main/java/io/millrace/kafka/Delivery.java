package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.message.OutboxMessage;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One message of a batch on its way. What became of it is written once, by the send thread or by
 * Kafka's, and read on the context after its {@link AnswerBridge} has been crossed.
 */
final class Delivery {
  private final Batch batch;
  private final int index;
  private final byte[] key;
  private final int topicPartition;
  private final TopicPartitionGate<Delivery> gate;

  private @Nullable AnswerBridge bridge;
  private boolean isAnswered;
  private boolean wasHandedOver;
  private @Nullable Throwable failure;

  Delivery(
      Batch batch, int index, byte[] key, int topicPartition, TopicPartitionGate<Delivery> gate) {
    this.batch = batch;
    this.index = index;
    this.key = key;
    this.topicPartition = topicPartition;
    this.gate = gate;
  }

  KafkaPublishStream stream() {
    return batch.stream();
  }

  Batch batch() {
    return batch;
  }

  OutboxMessage message() {
    return batch.message(index);
  }

  TopicPartitionGate<Delivery> gate() {
    return gate;
  }

  ProducerRecord<byte[], byte[]> record(RecordEncoder encoder) {
    return encoder.encode(message(), key, topicPartition);
  }

  void boards(AnswerBridge bridge) {
    this.bridge = bridge;
  }

  /** Back to its place in front of all that wait; a run's must come back last first. */
  void comesBack() {
    if (bridge != null) {
      bridge.removeLast();
      bridge = null;
    }
    gate.putBack(this);
    stream().unboarded();
  }

  /** The producer had it: acknowledged if there is no failure. */
  void answer(@Nullable Throwable failure) {
    report(true, failure);
  }

  /**
   * The producer never had it.
   *
   * @param failure its own, or null: something else kept it back
   */
  void returned(@Nullable Throwable failure) {
    report(false, failure);
  }

  private void report(boolean wasHandedOver, @Nullable Throwable failure) {
    this.wasHandedOver = wasHandedOver;
    this.failure = failure;
    this.isAnswered = true;
    if (!wasHandedOver || failure != null) {
      // Here and not on the context: what the send thread does next must know it already.
      stream().brake();
    }
    if (bridge != null) {
      bridge.oneAnswered();
    }
  }

  boolean isAnswered() {
    return isAnswered;
  }

  boolean isAcknowledged() {
    return wasHandedOver && failure == null;
  }

  boolean wasHandedOver() {
    return wasHandedOver;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  /** Its own failure, told with what it met. */
  Failure explain(Throwable cause) {
    OutboxMessage message = message();
    String text =
        "message %s (outbox position %d) was not published to topic %s, topic partition %d: %s"
            .formatted(message.messageId(), message.id(), message.topic(), topicPartition, cause);
    return new Failure(KafkaFailures.classify(cause), text, cause);
  }

  void acknowledge() {
    batch.acknowledge();
  }

  void refuse(Failure why, boolean wasHandedOver) {
    batch.refuse(index, why, wasHandedOver);
  }
}
