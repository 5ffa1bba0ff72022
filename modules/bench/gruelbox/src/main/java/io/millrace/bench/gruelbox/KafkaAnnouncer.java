package io.millrace.bench.gruelbox;

import io.millrace.bench.spi.ProducerSettings;
import io.millrace.bench.spi.SubjectSettings;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** One producer for all threads. */
final class KafkaAnnouncer implements Announcer, AutoCloseable {
  private final KafkaProducer<String, String> producer;
  private final String topic;

  KafkaAnnouncer(SubjectSettings settings) {
    topic = settings.topic();
    producer =
        new KafkaProducer<>(
            ProducerSettings.withoutLinger(settings.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer());
  }

  /** Blocks: the library takes the invocation for done when it returns. */
  @Override
  public void announce(String messageId, String aggregateId, String payload)
      throws ExecutionException, InterruptedException {
    ProducerRecord<String, String> record = new ProducerRecord<>(topic, aggregateId, payload);
    record
        .headers()
        .add("id", utf8(messageId))
        .add("aggregate_type", utf8("account"))
        .add("event_type", utf8("account_changed"));
    producer.send(record).get();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close();
  }
}
