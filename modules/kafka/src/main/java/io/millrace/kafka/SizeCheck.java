package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages that the broker would refuse for their size before anything of their batch is
 * handed over: then nothing that comes later can be ahead of them.
 *
 * <p>Sizes are those of a record alone in its batch, uncompressed. With compression the broker
 * judges what only the producer knows, and nothing is refused here.
 */
final class SizeCheck {
  /** What a record has besides what a message's own size counts: Millrace's headers, at most. */
  private static final long OVERHEAD_BYTES_MAX = 8_192;

  /** Of message format 2: the head of a batch, and a record without key, value and headers. */
  private static final long EMPTY_RECORD_BYTES = 61 + 7;

  private final TopicDirectory directory;
  private final RecordEncoder encoder;
  private final boolean isCompressed;

  SizeCheck(TopicDirectory directory, RecordEncoder encoder, boolean isCompressed) {
    this.directory = directory;
    this.encoder = encoder;
    this.isCompressed = isCompressed;
  }

  /** What is known of the topics; asked anew if by that a message is too large. */
  Future<Map<String, Future<TopicFacts>>> facts(List<OutboxMessage> messages) {
    List<String> topics = messages.stream().map(OutboxMessage::topic).distinct().toList();
    return directory
        .facts(topics)
        .compose(
            known -> {
              List<String> doubtful =
                  messages.stream()
                      .filter(message -> failure(message, known.get(message.topic())) != null)
                      .map(OutboxMessage::topic)
                      .distinct()
                      .toList();
              // Somebody may have raised the limit since.
              doubtful.forEach(directory::forget);
              return doubtful.isEmpty() ? Future.succeededFuture(known) : directory.facts(topics);
            });
  }

  /** Why a message cannot be published to its topic; null: nothing is known against it. */
  @Nullable Failure failure(OutboxMessage message, @Nullable Future<TopicFacts> facts) {
    if (facts == null) {
      return null;
    }
    if (facts.failed()) {
      return facts.cause() instanceof Failure failure ? failure : null;
    }
    long bytesMax = facts.result().bytesMax();
    if (isCompressed || message.bytes() + OVERHEAD_BYTES_MAX <= bytesMax) {
      return null;
    }
    long bytes = size(message);
    return bytes <= bytesMax ? null : tooLarge(message, bytes, bytesMax);
  }

  /** At least: lengths are counted as one byte each. */
  private long size(OutboxMessage message) {
    byte[] key = RecordEncoder.key(message);
    ProducerRecord<byte[], byte[]> record = encoder.encode(message, key, 0);
    byte[] value = record.value();
    long bytes = EMPTY_RECORD_BYTES + key.length + (value == null ? 0 : value.length);
    for (Header header : record.headers()) {
      byte[] text = header.value();
      bytes += 2L + header.key().length() + (text == null ? 0 : text.length);
    }
    return bytes;
  }

  private static Failure tooLarge(OutboxMessage message, long bytes, long bytesMax) {
    return new Failure(
        FailureKind.MESSAGE,
        "message %s (outbox position %d) has at least %d bytes as a record, max.message.bytes of topic %s is %d"
            .formatted(message.messageId(), message.id(), bytes, message.topic(), bytesMax),
        null);
  }
}
