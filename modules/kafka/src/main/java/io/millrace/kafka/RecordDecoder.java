package io.millrace.kafka;

import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.inbox.RecordHeader;
import io.millrace.core.message.Payload;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Makes received records of Kafka's, byte for byte. The arrays are shared, not copied. */
final class RecordDecoder {
  private static final int EPOCH_NOT_KNOWN = -1;

  private RecordDecoder() {}

  static List<ReceivedRecord> decode(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(RecordDecoder::decode).toList();
  }

  private static ReceivedRecord decode(ConsumerRecord<byte[], byte[]> record) {
    List<RecordHeader> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      headers.add(new RecordHeader(header.key(), payload(header.value())));
    }
    return new ReceivedRecord(
        record.topic(),
        record.partition(),
        record.offset(),
        record.leaderEpoch().orElse(EPOCH_NOT_KNOWN),
        record.timestamp(),
        payload(record.key()),
        payload(record.value()),
        headers);
  }

  private static @Nullable Payload payload(byte @Nullable [] bytes) {
    return bytes == null ? null : Payload.of(bytes);
  }
}
