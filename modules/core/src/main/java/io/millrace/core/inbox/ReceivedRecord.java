package io.millrace.core.inbox;

import io.millrace.core.message.Payload;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A record as it was read from a topic partition.
 *
 * @param leaderEpoch the term of the leader that wrote it, or -1 if the broker does not say
 * @param timestampMs the record's own timestamp, in milliseconds since 1970; no identity, since a
 *     broker may set it anew
 * @param key the bytes, or null
 * @param payload the bytes, or null for a tombstone
 * @param headers in the order of the record
 */
public record ReceivedRecord(
    String topic,
    int topicPartition,
    long offset,
    int leaderEpoch,
    long timestampMs,
    @Nullable Payload key,
    @Nullable Payload payload,
    List<RecordHeader> headers) {

  public ReceivedRecord {
    headers = List.copyOf(headers);
  }

  /** The text of the first header of that name; empty if there is none, or if it is no text. */
  public Optional<String> text(String header) {
    for (RecordHeader candidate : headers) {
      if (candidate.name().equals(header)) {
        return candidate.text();
      }
    }
    return Optional.empty();
  }

  /** The size that counts against a batch: key, payload and headers. */
  public long bytes() {
    long bytes = key == null ? 0 : key.size();
    bytes += payload == null ? 0 : payload.size();
    for (RecordHeader header : headers) {
      Payload value = header.value();
      bytes += header.name().length() + (value == null ? 0 : value.size());
    }
    return bytes;
  }

  /** Where it lies, for people. */
  public String coordinates() {
    return topic + "-" + topicPartition + "@" + offset;
  }
}
