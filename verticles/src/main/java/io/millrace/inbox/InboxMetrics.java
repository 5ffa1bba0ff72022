package io.millrace.inbox;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.core.inbox.ParkReason;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** A consumer's counters and gauges; they go with the consumer. */
final class InboxMetrics {
  private static final String CONSUMER = "consumer";

  private final MeterRegistry registry;
  private final String consumer;
  private final Counter applied;
  private final Counter duplicates;
  private final Counter blocked;
  private final DistributionSummary batchSize;
  private final Timer handlerTime;
  private final Counter resets;
  private final Map<ParkReason, Counter> parked = new EnumMap<>(ParkReason.class);
  private final List<Meter> own = new ArrayList<>();

  InboxMetrics(MeterRegistry registry, String consumer) {
    this.registry = registry;
    this.consumer = consumer;
    this.applied = outcome("applied");
    this.duplicates = outcome("duplicate");
    this.blocked =
        Counter.builder("millrace.inbox.handler.blocked")
            .description("Calls of the handler that held the event loop for longer than they may")
            .tag(CONSUMER, consumer)
            .register(registry);
    this.batchSize =
        DistributionSummary.builder("millrace.inbox.batch.size")
            .description("Messages applied in one transaction")
            .tag(CONSUMER, consumer)
            .register(registry);
    this.handlerTime =
        Timer.builder("millrace.inbox.handler.time")
            .description("From the call of the handler to its completion")
            .tag(CONSUMER, consumer)
            .register(registry);
    // From the start, so that a first one shows as a rise.
    this.resets =
        Counter.builder("millrace.inbox.resets")
            .description("Positions set anew because what was there is gone")
            .tag(CONSUMER, consumer)
            .register(registry);
    for (ParkReason reason : ParkReason.values()) {
      parked.put(reason, parkedFor(reason));
    }
    List.of("message", "collision", "outage", "moved").forEach(this::failures);
  }

  private Counter parkedFor(ParkReason reason) {
    return Counter.builder("millrace.inbox.parked")
        .description("Messages parked, by reason")
        .tag(CONSUMER, consumer)
        .tag("reason", reason.text())
        .register(registry);
  }

  private Counter failures(String kind) {
    return Counter.builder("millrace.inbox.failures")
        .description("Transactions undone, by what was to blame")
        .tag(CONSUMER, consumer)
        .tag("kind", kind)
        .register(registry);
  }

  private Counter outcome(String outcome) {
    return Counter.builder("millrace.inbox.messages")
        .description("Messages by what became of them")
        .tag(CONSUMER, consumer)
        .tag("outcome", outcome)
        .register(registry);
  }

  void applied(Outcome.Applied outcome) {
    applied.increment(outcome.applied());
    duplicates.increment(outcome.duplicates());
  }

  void handled(int messages, long nanos) {
    batchSize.record(messages);
    handlerTime.record(nanos, TimeUnit.NANOSECONDS);
  }

  void parked(ParkReason reason) {
    Counter counter = parked.get(reason);
    if (counter != null) {
      counter.increment();
    }
  }

  void blocked() {
    blocked.increment();
  }

  void failed(String kind) {
    failures(kind).increment();
  }

  void reset() {
    resets.increment();
  }

  /** A gauge that is read from any thread. */
  <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
    own.add(
        Gauge.builder(name, source, value)
            .description(description)
            .tag(CONSUMER, consumer)
            .strongReference(true)
            .register(registry));
  }

  void removeGauges() {
    own.forEach(registry::remove);
    own.clear();
  }
}
