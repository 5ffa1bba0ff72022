package io.millrace.relay;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.Parking;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What a relay counts. Labels are bounded: an application that invents event types cannot fill the
 * registry.
 */
final class RelayMetrics {
  private static final int EVENT_TYPES_MAX = 200;
  private static final String OTHER = "other";

  private final MeterRegistry registry;
  private final Map<String, Counter> relayed = new HashMap<>();
  private final Timer publishLatency;
  private final DistributionSummary batchRows;
  private final Counter epochChanges;
  private final Counter sweeps;
  private final Counter lanesOpened;
  private final Map<Parking.Kind, Counter> parked = new EnumMap<>(Parking.Kind.class);
  private final Map<FailureKind, Counter> failures = new EnumMap<>(FailureKind.class);
  private final Counter redriven;
  private final Counter replayed;

  RelayMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.publishLatency =
        Timer.builder("millrace.publish.latency")
            .description("From the hand-over of a batch to the acknowledgement of its last record")
            .publishPercentileHistogram()
            .register(registry);
    this.batchRows = DistributionSummary.builder("millrace.batch.rows").register(registry);
    this.epochChanges = Counter.builder("millrace.epoch.changes").register(registry);
    this.lanesOpened = Counter.builder("millrace.lanes.opened").register(registry);
    this.redriven = Counter.builder("millrace.messages.redriven").register(registry);
    this.replayed =
        Counter.builder("millrace.messages.replayed")
            .description("Messages published once more because an operator asked for it")
            .register(registry);
    this.sweeps = Counter.builder("millrace.sweeps").register(registry);
    // From the start, so that a first one shows as a rise.
    for (Parking.Kind kind : Parking.Kind.values()) {
      parked.put(kind, counter("millrace.messages.parked", "reason", kind));
    }
    for (FailureKind kind : FailureKind.values()) {
      failures.put(kind, counter("millrace.failures", "kind", kind));
    }
  }

  private Counter counter(String name, String tag, Enum<?> value) {
    return Counter.builder(name).tag(tag, value.name().toLowerCase(Locale.ROOT)).register(registry);
  }

  void gauge(String name, Supplier<Number> value) {
    Gauge.builder(name, value).register(registry);
  }

  void published(List<OutboxMessage> messages, long tookMs) {
    publishLatency.record(tookMs, TimeUnit.MILLISECONDS);
    batchRows.record(messages.size());
    messages.forEach(m -> relayedOf(m.eventType()).increment());
  }

  private Counter relayedOf(String eventType) {
    Counter known = relayed.get(eventType);
    if (known != null) {
      return known;
    }
    String label = relayed.size() < EVENT_TYPES_MAX ? eventType : OTHER;
    return relayed.computeIfAbsent(
        label, l -> Counter.builder("millrace.relayed").tag("event_type", l).register(registry));
  }

  void failed(FailureKind kind) {
    count(failures, kind);
  }

  private static <K> void count(Map<K, Counter> counters, K key) {
    Counter counter = counters.get(key);
    if (counter != null) {
      counter.increment();
    }
  }

  void claimed() {
    epochChanges.increment();
  }

  void laneOpened() {
    lanesOpened.increment();
  }

  void parked(List<Parking> messages) {
    messages.forEach(parking -> count(parked, parking.kind()));
  }

  void redriven(int messages) {
    redriven.increment(messages);
  }

  void replayed(int messages) {
    replayed.increment(messages);
  }

  void sweepBegun() {
    sweeps.increment();
  }
}
