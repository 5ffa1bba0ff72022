package io.millrace.devstack;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A PostgreSQL and a Kafka that start at the same time and end together. What this JVM leaves
 * running when it dies is ended by the servers' watchdogs, so no shutdown hook is needed.
 */
public final class DevStack implements AutoCloseable {
  private final PostgresServer postgres;
  private final KafkaServer kafka;

  private DevStack(PostgresServer postgres, KafkaServer kafka) {
    this.postgres = postgres;
    this.kafka = kafka;
  }

  /**
   * Returns when both accept connections.
   *
   * @throws DevStackException when one does not start; then the other has been closed again
   */
  public static DevStack start(DevStackSpec spec) {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      CompletableFuture<PostgresServer> postgres =
          CompletableFuture.supplyAsync(() -> PostgresServer.start(spec.postgres()), threads);
      CompletableFuture<KafkaServer> kafka =
          CompletableFuture.supplyAsync(() -> KafkaServer.start(spec.kafka()), threads);
      return both(postgres, kafka);
    } finally {
      threads.shutdown();
    }
  }

  private static DevStack both(
      CompletableFuture<PostgresServer> postgres, CompletableFuture<KafkaServer> kafka) {
    try {
      return postgres.thenCombine(kafka, DevStack::new).join();
    } catch (CompletionException e) {
      // The combination has waited for both: what has not failed is running.
      closeStarted(postgres);
      closeStarted(kafka);
      throw new DevStackException("the development servers did not start", e);
    }
  }

  private static void closeStarted(CompletableFuture<? extends DevServer> start) {
    if (!start.isCompletedExceptionally()) {
      start.join().close();
    }
  }

  public PostgresServer postgres() {
    return postgres;
  }

  public KafkaServer kafka() {
    return kafka;
  }

  @Override
  public void close() {
    try {
      kafka.close();
    } finally {
      postgres.close();
    }
  }
}
