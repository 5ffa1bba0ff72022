package io.millrace.inbox;

import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.Identity;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.inbox.RecordHeader;
import io.millrace.core.message.Payload;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

/** The parameters of the statement that parks a message. */
final class ParkValues {
  private ParkValues() {}

  static Tuple of(Chain chain, ReceivedRecord record, Identity identity, Verdict verdict) {
    return Tuple.tuple()
        .addString(chain.consumer())
        .addUUID(identity.messageId())
        .addLong(identity.timeMs())
        .addString(chain.topic())
        .addUUID(chain.topicId())
        .addInteger(record.topicPartition())
        .addLong(record.offset())
        .addInteger(record.leaderEpoch())
        .addLong(record.timestampMs())
        .addBuffer(buffer(record.key()))
        .addBuffer(buffer(record.payload()))
        // A header's name may hold a NUL, PostgreSQL's text may not.
        .addArrayOfString(
            record.headers().stream()
                .map(header -> header.name().replace('\0', '\u2400'))
                .toArray(String[]::new))
        .addArrayOfBuffer(
            record.headers().stream()
                .map(RecordHeader::value)
                .map(ParkValues::buffer)
                .toArray(Buffer[]::new))
        .addString(verdict.reason().text())
        .addBoolean(verdict.reason().blocksKey())
        .addString(verdict.error())
        .addInteger(verdict.attempts());
  }

  static @Nullable Buffer buffer(@Nullable Payload payload) {
    return payload == null ? null : Buffer.buffer(payload.bytes());
  }
}
