package io.millrace.bench.namastack;

import io.millrace.bench.spi.ProducerSettings;
import io.millrace.bench.spi.SubjectSettings;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** One producer for all threads. */
final class KafkaHandler implements OutboxTypedHandler<AccountChanged>, AutoCloseable {
  private final KafkaProducer<String, String> producer;
  private final String topic;

  KafkaHandler(SubjectSettings settings) {
    topic = settings.topic();
    producer =
        new KafkaProducer<>(
            ProducerSettings.withoutLinger(settings.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer());
  }

  /** Blocks: the library takes the record for published when it returns. */
  @Override
  public void handle(AccountChanged payload, OutboxRecordMetadata metadata) {
    ProducerRecord<String, String> record =
        new ProducerRecord<>(topic, metadata.getKey(), payload.text());
    record
        .headers()
        .add("id", utf8(payload.id()))
        .add("aggregate_type", utf8("account"))
        .add("event_type", utf8("account_changed"));
    try {
      producer.send(record).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("not acknowledged", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close();
  }
}
