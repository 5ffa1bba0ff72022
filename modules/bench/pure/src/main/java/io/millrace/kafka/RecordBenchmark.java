package io.millrace.kafka;

import io.millrace.bench.pure.PerMessage;
import io.millrace.bench.pure.Samples;
import io.millrace.core.inbox.IdentityRule;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.message.OutboxMessage;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Between messages and records. In this package, for the adapter shows nobody else how it does
 * that.
 */
public class RecordBenchmark extends PerMessage {
  private static final int TOPIC_PARTITIONS = 6;

  private final RecordEncoder encoder = new RecordEncoder("bench");
  private final IdentityRule rule = IdentityRule.ofMillrace();
  private final List<OutboxMessage> messages = Samples.pass();
  private final List<ConsumerRecord<byte[], byte[]>> records =
      messages.stream().map(this::encode).map(RecordBenchmark::received).toList();
  private final List<ReceivedRecord> decoded = RecordDecoder.decode(records);

  /** The record of a message, with its topic partition. */
  @Benchmark
  @OperationsPerInvocation(PASS)
  public void encode(Blackhole hole) {
    for (OutboxMessage message : messages) {
      hole.consume(encode(message));
    }
  }

  private ProducerRecord<byte[], byte[]> encode(OutboxMessage message) {
    byte[] key = RecordEncoder.key(message);
    return encoder.encode(message, key, KeyHash.topicPartition(key, TOPIC_PARTITIONS));
  }

  /** What a consumer gets of it. */
  private static ConsumerRecord<byte[], byte[]> received(ProducerRecord<byte[], byte[]> sent) {
    return new ConsumerRecord<>(
        sent.topic(),
        sent.partition(),
        0,
        0,
        TimestampType.CREATE_TIME,
        sent.key().length,
        sent.value().length,
        sent.key(),
        sent.value(),
        sent.headers(),
        Optional.of(1));
  }

  @Benchmark
  @OperationsPerInvocation(PASS)
  public List<ReceivedRecord> decode() {
    return RecordDecoder.decode(records);
  }

  /** What the inbox tells repeats by. */
  @Benchmark
  @OperationsPerInvocation(PASS)
  public void identify(Blackhole hole) {
    for (ReceivedRecord record : decoded) {
      hole.consume(rule.of(record));
    }
  }
}
