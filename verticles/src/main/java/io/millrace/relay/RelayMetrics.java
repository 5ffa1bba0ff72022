package io.millrace.relay;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
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
  private final Counter parked;
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
    this.parked = Counter.builder("millrace.messages.parked").register(registry);
    this.redriven = Counter.builder("millrace.messages.redriven").register(registry);
    this.replayed =
        Counter.builder("millrace.messages.replayed")
            .description("Messages published once more because an operator asked for it")
            .register(registry);
    this.sweeps = Counter.builder("millrace.sweeps").register(registry);
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
    Counter.builder("millrace.failures")
        .tag("kind", kind.name().toLowerCase(Locale.ROOT))
        .register(registry)
        .increment();
  }

  void claimed() {
    epochChanges.increment();
  }

  void laneOpened() {
    lanesOpened.increment();
  }

  void parked(int messages) {
    parked.increment(messages);
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
