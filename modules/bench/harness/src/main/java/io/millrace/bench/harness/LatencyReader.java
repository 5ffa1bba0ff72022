package io.millrace.bench.harness;

import io.millrace.bench.spi.Payloads;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer that notes for every message, when it first comes, how long ago its transaction was
 * due, on a thread of its own.
 */
final class LatencyReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long HIGHEST_MICROS = 600_000_000;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Future<?> reading;
  private final Delivery.Books books = new Delivery.Books();
  private Histogram histogram = fresh();
  private volatile OptionalLong lastArrival = OptionalLong.empty();
  private volatile long skippedUntil;
  private volatile boolean ending;

  /**
   * @param warmUpNanos messages due within so long after the first one do not count
   */
  LatencyReader(String bootstrapServers, String topic, long warmUpNanos) {
    consumer = Delivery.consumer(bootstrapServers);
    List<TopicPartition> all =
        IntStream.range(0, Servers.TOPIC_PARTITIONS)
            .mapToObj(i -> new TopicPartition(topic, i))
            .toList();
    consumer.assign(all);
    consumer.seekToBeginning(all);
    reading = thread.submit(() -> read(warmUpNanos));
  }

  private void read(long warmUpNanos) {
    while (!ending) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        note(record.value(), warmUpNanos);
      }
    }
    consumer.close();
  }

  private synchronized void note(byte[] payload, long warmUpNanos) {
    long now = System.nanoTime();
    lastArrival = OptionalLong.of(now);
    boolean isFirst = books.add(payload);
    long due = Payloads.nanos(payload);
    if (skippedUntil == 0) {
      skippedUntil = due + warmUpNanos;
    }
    if (isFirst && due >= skippedUntil) {
      long micros = (now - due) / 1_000;
      histogram.recordValue(Math.max(0, Math.min(micros, HIGHEST_MICROS)));
    }
  }

  /** When the newest record has come, of {@link System#nanoTime}; empty: none has. */
  OptionalLong lastArrival() {
    return lastArrival;
  }

  /** What has come so far. */
  synchronized Delivery delivery() {
    return books.delivery();
  }

  /** What was noted since the last call. */
  synchronized Histogram take() {
    Histogram taken = histogram;
    histogram = fresh();
    return taken;
  }

  private static Histogram fresh() {
    return new Histogram(HIGHEST_MICROS, 3);
  }

  /** A quantile in milliseconds. */
  static double ms(Histogram histogram, double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1e3;
  }

  @Override
  public void close() {
    ending = true;
    thread.shutdown();
    try {
      reading.get();
    } catch (ExecutionException e) {
      throw new BenchException("the consumer has failed", e);
    } catch (InterruptedException e) {
      throw TopicWatch.interrupted(e);
    }
  }
}
