package io.millrace.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.millrace.port.BucketStatus;
import io.millrace.port.InboxStatus;
import io.millrace.port.ParkedStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the inbox of the database looks like as metrics. Written on one context, scraped from any
 * thread; without a reading a gauge is NaN.
 */
final class InboxGauges {
  private final MeterRegistry registry;
  private final List<Gauge> gauges = new ArrayList<>();
  private @Nullable MultiGauge parked;
  private volatile @Nullable InboxStatus newest;

  InboxGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  void register() {
    for (String parent : List.of("inbox", "effect")) {
      gauge(
          "millrace.inbox.buckets",
          "Buckets that are there",
          Tags.of("parent", parent),
          inbox -> inbox.buckets().stream().filter(b -> b.parent().equals(parent)).count());
    }
    gauge(
        "millrace.inbox.buckets.postponed",
        "Buckets whose retirement was postponed",
        Tags.empty(),
        inbox -> inbox.buckets().stream().filter(b -> b.postponed() != null).count());
    gauge(
        "millrace.inbox.dead.rows",
        "Dead tuples of all buckets; rolled-back inserts leave some",
        Tags.empty(),
        inbox -> inbox.buckets().stream().mapToLong(BucketStatus::deadRows).sum());
    gauge(
        "millrace.inbox.bytes",
        "Size of all buckets with their indexes",
        Tags.empty(),
        inbox -> inbox.buckets().stream().mapToLong(BucketStatus::bytes).sum());
    parked =
        MultiGauge.builder("millrace.inbox.parked.messages")
            .description("Received messages that are parked, up to 10,000 a consumer")
            .register(registry);
  }

  private void gauge(
      String name, String description, Tags tags, ToDoubleFunction<InboxStatus> value) {
    gauges.add(
        Gauge.builder(name, this, self -> self.value(value))
            .description(description)
            .tags(tags)
            .strongReference(true)
            .register(registry));
  }

  private double value(ToDoubleFunction<InboxStatus> value) {
    InboxStatus known = newest;
    return known == null ? Double.NaN : value.applyAsDouble(known);
  }

  void show(InboxStatus reading) {
    newest = reading;
    showParked(reading.parked());
  }

  private void showParked(List<ParkedStatus> reading) {
    MultiGauge gauge = parked;
    if (gauge != null) {
      List<Row<?>> rows = new ArrayList<>();
      for (ParkedStatus some : reading) {
        rows.add(
            Row.of(Tags.of("consumer", some.consumer(), "reason", some.reason()), some.messages()));
      }
      gauge.register(rows, true);
    }
  }

  /** The newest reading failed: what was true before is not shown as if it still were. */
  void forget() {
    newest = null;
    showParked(List.of());
  }

  void remove() {
    gauges.forEach(registry::remove);
    gauges.clear();
    showParked(List.of());
  }
}
