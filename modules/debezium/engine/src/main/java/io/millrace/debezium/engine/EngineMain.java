package io.millrace.debezium.engine;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Debezium's embedded engine with a producer behind it. What the connector's transformations have
 * made of a change goes through the converters of its configuration to Kafka, and is confirmed only
 * when the brokers have acknowledged it. Ends with code 1 when the connector stops by itself;
 * SIGTERM stops it in good order.
 */
public final class EngineMain {
  /** Besides the connector's own settings, in the same file. */
  private static final String BOOTSTRAP = "engine.bootstrap.servers";

  private final KafkaProducer<byte[], byte[]> producer;
  private final Converters converters;

  private EngineMain(Properties config) throws ReflectiveOperationException {
    converters = Converters.of(config);
    producer =
        new KafkaProducer<>(
            // As a worker of Kafka Connect configures its producers.
            Map.of(
                "bootstrap.servers", config.getProperty(BOOTSTRAP),
                "acks", "all",
                "max.in.flight.requests.per.connection", "1",
                "max.block.ms", String.valueOf(Long.MAX_VALUE),
                "delivery.timeout.ms", String.valueOf(Integer.MAX_VALUE)),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  private void publish(
      List<ChangeEvent<SourceRecord, SourceRecord>> events,
      RecordCommitter<ChangeEvent<SourceRecord, SourceRecord>> committer)
      throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ChangeEvent<SourceRecord, SourceRecord> event : events) {
      sent.add(producer.send(converters.record(event.value())));
    }
    for (int i = 0; i < sent.size(); i++) {
      try {
        sent.get(i).get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("a record was not acknowledged", e);
      }
      committer.markProcessed(events.get(i));
    }
    committer.markBatchFinished();
  }

  private DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine(Properties config) {
    return DebeziumEngine.create(Connect.class)
        .using(config)
        .notifying(this::publish)
        .using(
            (success, message, error) ->
                System.out.println("ended: " + success + ", " + message + ", " + error))
        .build();
  }

  /** Its argument: a file with the connector's configuration, and the brokers' addresses. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Properties config = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(arguments[0]))) {
      config.load(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine =
        new EngineMain(config).engine(config);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(engine), "stop"));
    engine.run();
    // It has closed itself; some of its threads are left.
    System.exit(1);
  }

  private static void stop(DebeziumEngine<?> engine) {
    try {
      engine.close();
    } catch (IOException | IllegalStateException e) {
      // Has ended by itself before.
      System.out.println("stop: " + e);
    }
  }
}
