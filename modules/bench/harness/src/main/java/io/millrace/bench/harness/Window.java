package io.millrace.bench.harness;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A stretch of time in which records arrive in a topic, with what it cost. */
final class Window {
  private static final long FIRST_RECORD_LIMIT_NANOS = 120_000_000_000L;

  private final Servers servers;
  private final TopicWatch topic;
  private final long subjectPid;

  private record Reading(
      long nanos, long records, long subjectNanos, long postgresNanos, long kafkaNanos) {}

  Window(Servers servers, TopicWatch topic, long subjectPid) {
    this.servers = servers;
    this.topic = topic;
    this.subjectPid = subjectPid;
  }

  /**
   * Waits until records come, so that a start is not part of the time.
   *
   * @param before records that the topic has already
   */
  void awaitFirst(long before) {
    if (!TopicWatch.await(FIRST_RECORD_LIMIT_NANOS, () -> topic.records() > before)) {
      throw new BenchException("no record has come within 120 s");
    }
  }

  /**
   * Begins now, and waits for the end.
   *
   * @param ended whether there is nothing left to wait for
   * @return messages a second and microseconds of processor time a message, by metric
   */
  Map<String, Double> measure(int seconds, BooleanSupplier ended) {
    Reading first = read();
    TopicWatch.await(seconds * 1_000_000_000L, ended);
    Reading last = read();
    double records = Math.max(1, last.records - first.records);
    Map<String, Double> values = new HashMap<>();
    values.put("per_s", records * 1e9 / (last.nanos - first.nanos));
    values.put("relay_us", (last.subjectNanos - first.subjectNanos) / 1e3 / records);
    values.put("postgres_us", (last.postgresNanos - first.postgresNanos) / 1e3 / records);
    values.put("kafka_us", (last.kafkaNanos - first.kafkaNanos) / 1e3 / records);
    return values;
  }

  private Reading read() {
    return new Reading(
        System.nanoTime(),
        topic.records(),
        CpuTime.nanos(subjectPid),
        CpuTime.nanos(servers.postgres().pid()),
        CpuTime.nanos(servers.kafka().pid()));
  }
}
