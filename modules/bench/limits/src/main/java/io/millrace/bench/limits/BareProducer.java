package io.millrace.bench.limits;

import io.millrace.bench.spi.Payloads;
import io.millrace.bench.spi.ProducerSettings;
import io.millrace.bench.spi.SubjectSettings;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A producer that has its records at hand: keys, payloads and headers as Millrace's relay sends.
 */
final class BareProducer implements AutoCloseable {
  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;

  BareProducer(SubjectSettings settings) {
    topic = settings.topic();
    producer =
        new KafkaProducer<>(
            ProducerSettings.of(settings.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  String description() {
    return "producer: one thread, "
        + ProducerSettings.DESCRIPTION
        + ", the same headers as Millrace's";
  }

  /** Nanoseconds from the first record until the last is acknowledged. */
  long produce(int count, int bytes) throws Exception {
    AtomicReference<Exception> failure = new AtomicReference<>();
    long begun = System.nanoTime();
    for (int i = 0; i < count; i++) {
      var unused =
          producer.send(
              record(i, bytes),
              (metadata, cause) -> {
                if (cause != null) {
                  failure.compareAndSet(null, cause);
                }
              });
    }
    producer.flush();
    long nanos = System.nanoTime() - begun;
    Exception failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    return nanos;
  }

  private ProducerRecord<byte[], byte[]> record(int number, int bytes) {
    int aggregate = number % Payloads.AGGREGATES;
    String id = Payloads.aggregateId(aggregate);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic,
            utf8(id),
            Payloads.of(aggregate, number / Payloads.AGGREGATES, System.nanoTime(), bytes));
    record
        .headers()
        .add("ce_specversion", utf8("1.0"))
        .add("ce_id", utf8("0198c0de-0000-7000-8000-0000" + id))
        .add("ce_source", utf8("/millrace"))
        .add("ce_type", utf8("account_changed"))
        .add("ce_time", utf8("2026-01-01T00:00:00.123456Z"))
        .add("ce_subject", utf8(id))
        .add("content-type", utf8("application/json"))
        .add("millrace_aggregate_type", utf8("account"))
        .add("millrace_aggregate_id", utf8(id))
        .add("millrace_message_position", utf8(Long.toString(number)));
    return record;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close();
  }
}
