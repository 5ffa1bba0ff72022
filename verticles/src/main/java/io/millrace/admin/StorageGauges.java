package io.millrace.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.port.StorageStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The space that Millrace's tables take, and the age of transaction ids. Written on one context,
 * scraped from any thread; without a reading they are NaN.
 */
final class StorageGauges {
  private static final List<String> PARTS =
      List.of("outbox", "receipt", "progress", "inbox", "effect", "parked", "other");

  private final MeterRegistry registry;
  private final List<Gauge> gauges = new ArrayList<>();
  private volatile @Nullable StorageStatus newest;

  StorageGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  void register() {
    for (String part : PARTS) {
      gauges.add(
          gauge(
              Gauge.builder("millrace.storage", this, self -> self.bytes(part))
                  .baseUnit("bytes")
                  .tag("part", part)
                  .description("Space of tables with indexes and large values")));
    }
    gauges.add(
        gauge(
            Gauge.builder("millrace.transaction.age", this, self -> self.of(StorageGauges::ownAge))
                .description("Transactions since the oldest unfrozen id in Millrace's tables")));
    gauges.add(
        gauge(
            Gauge.builder(
                    "millrace.database.transaction.age",
                    this,
                    self -> self.of(StorageStatus::databaseAge))
                .description("Transactions since the oldest unfrozen id in the database")));
  }

  private Gauge gauge(Gauge.Builder<?> builder) {
    return builder.strongReference(true).register(registry);
  }

  private static double ownAge(StorageStatus storage) {
    return storage.parts().stream().mapToLong(StorageStatus.Part::age).max().orElse(0);
  }

  private double bytes(String part) {
    return of(
        storage ->
            storage.parts().stream()
                .filter(one -> one.name().equals(part))
                .mapToLong(StorageStatus.Part::bytes)
                .sum());
  }

  private double of(ToDoubleFunction<StorageStatus> value) {
    StorageStatus known = newest;
    return known == null ? Double.NaN : value.applyAsDouble(known);
  }

  void show(StorageStatus reading) {
    newest = reading;
  }

  /** The newest reading failed: what was true before is not shown as if it still were. */
  void forget() {
    newest = null;
  }

  void remove() {
    gauges.forEach(registry::remove);
    gauges.clear();
  }
}
