package io.millrace.launcher;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts what the database refuses this node for want of something, by SQLSTATE. A full disk shows
 * here first: relays go on reading, and nothing else of Millrace's says why they repeat.
 *
 * <p>Thread-safe.
 */
final class DatabaseRefusals {
  private static final Map<String, String> REASONS =
      Map.of(
          "53100", "disk_full",
          "53200", "out_of_memory",
          "53300", "too_many_connections",
          // Among others: no transaction ids are left.
          "54000", "program_limit");

  private final Map<String, Counter> counters;

  DatabaseRefusals(MeterRegistry registry) {
    this.counters =
        REASONS.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey, entry -> counter(registry, entry.getValue())));
  }

  private static Counter counter(MeterRegistry registry, String reason) {
    return Counter.builder("millrace.database.refusals")
        .tag("reason", reason)
        .description("Statements that the database refused for want of something")
        .register(registry);
  }

  /** A statement has failed with this SQLSTATE. */
  void failed(String sqlState) {
    Counter counter = counters.get(sqlState);
    if (counter != null) {
      counter.increment();
    }
  }
}
