package io.millrace.bench.debezium;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.millrace.bench.spi.ProducerSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;

/** One life of the engine, with a producer behind it. */
final class EngineRun {
  private static final long STOP_WAIT_S = 60;

  private final KafkaProducer<byte[], byte[]> producer;
  private final DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  private EngineRun(Properties properties, String bootstrapServers) {
    producer =
        new KafkaProducer<>(
            ProducerSettings.of(bootstrapServers),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    engine =
        DebeziumEngine.create(Connect.class)
            .using(properties)
            .notifying(this::publish)
            .using(
                (success, message, error) -> {
                  if (!success) {
                    System.err.println("the engine has ended: " + message + ", " + error);
                  }
                })
            .build();
  }

  static EngineRun start(Properties properties, String bootstrapServers) {
    EngineRun run = new EngineRun(properties, bootstrapServers);
    run.thread.execute(run.engine);
    return run;
  }

  private void publish(
      List<ChangeEvent<SourceRecord, SourceRecord>> events,
      RecordCommitter<ChangeEvent<SourceRecord, SourceRecord>> committer)
      throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>(events.size());
    for (ChangeEvent<SourceRecord, SourceRecord> event : events) {
      sent.add(producer.send(record(event.value())));
    }
    try {
      for (int i = 0; i < sent.size(); i++) {
        sent.get(i).get();
        committer.markProcessed(events.get(i));
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("not acknowledged", e);
    }
    committer.markBatchFinished();
  }

  private static ProducerRecord<byte[], byte[]> record(SourceRecord event) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(event.topic(), bytes(event.key()), bytes(event.value()));
    for (Header header : event.headers()) {
      record.headers().add(header.key(), bytes(header.value()));
    }
    return record;
  }

  /** Texts and binaries are all that the router leaves of a row. */
  private static byte[] bytes(Object value) {
    if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return bytes;
    }
    return value instanceof byte[] bytes
        ? bytes
        : value.toString().getBytes(StandardCharsets.UTF_8);
  }

  void stop() throws IOException, InterruptedException {
    engine.close();
    thread.shutdown();
    if (!thread.awaitTermination(STOP_WAIT_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the engine has not stopped within 60 s");
    }
    producer.close();
  }
}
