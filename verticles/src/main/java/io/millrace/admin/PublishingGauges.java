package io.millrace.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.millrace.port.PublishingStatus;
import io.millrace.port.PublishingStatus.ReplicationSlot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Who publishes, and what replication slots are behind and keep: a time series a replication slot
 * of the database. Written on one context, scraped from any thread; without a reading they are NaN.
 */
final class PublishingGauges {
  private final MeterRegistry registry;
  private final List<Gauge> totals = new ArrayList<>();
  private final List<Series> series = new ArrayList<>();
  private volatile @Nullable PublishingStatus newest;

  private record Series(MultiGauge gauge, ToDoubleFunction<ReplicationSlot> value) {}

  PublishingGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  void register() {
    for (String publisher : List.of("relay", "debezium")) {
      total(
          "millrace.publisher",
          null,
          "1 for who publishes the outbox, else 0",
          Tags.of("publisher", publisher),
          status -> status.publisher().equals(publisher) ? 1 : 0);
    }
    total(
        "millrace.replication.broken",
        null,
        "1 while Debezium publishes by a replication slot that cannot be believed, else 0",
        Tags.empty(),
        status -> status.problem() == null ? 0 : 1);
    total(
        "millrace.replication.lag",
        "bytes",
        "Log that Debezium has not confirmed; 0 while Millrace relays",
        Tags.empty(),
        PublishingGauges::lag);
    total(
        "millrace.replication.retained",
        "bytes",
        "Most log that the server keeps for one replication slot of the database",
        Tags.empty(),
        status ->
            status.replicationSlots().stream()
                .mapToLong(ReplicationSlot::retainedBytes)
                .max()
                .orElse(0));
    each("millrace.replication.slot.lag", "bytes", "Log not confirmed", PublishingGauges::lagOf);
    each(
        "millrace.replication.slot.retained",
        "bytes",
        "Log that the server keeps for it",
        ReplicationSlot::retainedBytes);
    each(
        "millrace.replication.slot.active",
        null,
        "1 while somebody reads it, else 0",
        slot -> slot.isActive() ? 1 : 0);
    each(
        "millrace.replication.slot.lost",
        null,
        "1 when the server has removed log that it needs, else 0",
        slot -> "lost".equals(slot.walStatus()) ? 1 : 0);
  }

  private static double lag(PublishingStatus status) {
    String name = status.replicationSlot();
    if (name == null) {
      return 0;
    }
    return status.replicationSlots().stream()
        .filter(slot -> slot.name().equals(name))
        .mapToDouble(PublishingGauges::lagOf)
        .findFirst()
        .orElse(Double.NaN);
  }

  private static double lagOf(ReplicationSlot slot) {
    Long bytes = slot.lagBytes();
    return bytes == null ? Double.NaN : bytes;
  }

  private void total(
      String name,
      @Nullable String unit,
      String description,
      Tags tags,
      ToDoubleFunction<PublishingStatus> value) {
    totals.add(
        Gauge.builder(name, this, self -> self.of(value))
            .baseUnit(unit)
            .description(description)
            .tags(tags)
            .strongReference(true)
            .register(registry));
  }

  private void each(
      String name,
      @Nullable String unit,
      String description,
      ToDoubleFunction<ReplicationSlot> value) {
    MultiGauge gauge =
        MultiGauge.builder(name).baseUnit(unit).description(description).register(registry);
    series.add(new Series(gauge, value));
  }

  private double of(ToDoubleFunction<PublishingStatus> value) {
    PublishingStatus known = newest;
    return known == null ? Double.NaN : value.applyAsDouble(known);
  }

  void show(PublishingStatus reading) {
    newest = reading;
    List<String> names = reading.replicationSlots().stream().map(ReplicationSlot::name).toList();
    for (Series one : series) {
      // A replication slot that is gone takes its time series along.
      one.gauge()
          .register(names.stream().<Row<?>>map(name -> row(name, one.value())).toList(), true);
    }
  }

  private Row<?> row(String name, ToDoubleFunction<ReplicationSlot> value) {
    return Row.of(
        Tags.of("slot", name),
        this,
        self ->
            self.of(
                status ->
                    status.replicationSlots().stream()
                        .filter(slot -> slot.name().equals(name))
                        .mapToDouble(value)
                        .findFirst()
                        .orElse(Double.NaN)));
  }

  /** The newest reading failed: what was true before is not shown as if it still were. */
  void forget() {
    newest = null;
  }

  void remove() {
    totals.forEach(registry::remove);
    totals.clear();
    series.forEach(one -> one.gauge().register(List.of(), true));
    series.clear();
  }
}
