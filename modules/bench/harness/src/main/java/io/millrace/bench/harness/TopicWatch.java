package io.millrace.bench.harness;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** How many records a topic has: what has been acknowledged, seen without reading it. */
final class TopicWatch implements AutoCloseable {
  private static final long CALL_WAIT_S = 30;
  private static final long PAUSE_MS = 20;

  private final Admin admin;
  private final Map<TopicPartition, OffsetSpec> latest = new HashMap<>();

  TopicWatch(String bootstrapServers, String topic) {
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
    for (int i = 0; i < Servers.TOPIC_PARTITIONS; i++) {
      latest.put(new TopicPartition(topic, i), OffsetSpec.latest());
    }
  }

  long records() {
    try {
      return admin.listOffsets(latest).all().get(CALL_WAIT_S, TimeUnit.SECONDS).values().stream()
          .mapToLong(ListOffsetsResultInfo::offset)
          .sum();
    } catch (ExecutionException | TimeoutException e) {
      throw new BenchException("the broker does not tell its offsets", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Looks every 20 ms until it holds.
   *
   * @return whether it came to hold within the limit
   */
  static boolean await(long limitNanos, BooleanSupplier holds) {
    long until = System.nanoTime() + limitNanos;
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > until) {
        return false;
      }
      pause(PAUSE_MS);
    }
    return true;
  }

  static void pause(long ms) {
    try {
      TimeUnit.MILLISECONDS.sleep(ms);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  static BenchException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new BenchException("interrupted", e);
  }

  @Override
  public void close() {
    admin.close();
  }
}
