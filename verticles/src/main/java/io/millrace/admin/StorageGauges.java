package io.millrace.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.millrace.port.StorageStatus;
import io.millrace.port.StorageStatus.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What Millrace's tables take, a time series a table and so a fixed number of them, and the age of
 * transaction ids. Written on one context, scraped from any thread; without a reading they are NaN.
 */
final class StorageGauges {
  private static final double MS_PER_SECOND = 1_000;

  private final MeterRegistry registry;
  private final List<Gauge> ages = new ArrayList<>();
  private final List<Series> series = new ArrayList<>();
  private volatile @Nullable StorageStatus newest;

  private record Series(MultiGauge gauge, ToDoubleFunction<Table> value) {}

  StorageGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  void register() {
    each("millrace.table", "bytes", "Space of a table with indexes and large values", Table::bytes);
    each("millrace.table.dead.rows", null, "Dead tuples of a table", Table::deadRows);
    each(
        "millrace.table.last.vacuum.timestamp",
        "seconds",
        "Last vacuum of any part of a table; NaN: never",
        table -> seconds(table.lastVacuumAt()));
    age(
        "millrace.transaction.age",
        "Transactions since the oldest unfrozen id in Millrace's tables",
        StorageGauges::ownAge);
    age(
        "millrace.database.transaction.age",
        "Transactions since the oldest unfrozen id in the database",
        StorageStatus::databaseAge);
  }

  private void each(
      String name, @Nullable String unit, String description, ToDoubleFunction<Table> value) {
    MultiGauge gauge =
        MultiGauge.builder(name).baseUnit(unit).description(description).register(registry);
    series.add(new Series(gauge, value));
  }

  private void age(String name, String description, ToDoubleFunction<StorageStatus> value) {
    ages.add(
        Gauge.builder(name, this, self -> self.of(value))
            .description(description)
            .strongReference(true)
            .register(registry));
  }

  private static double ownAge(StorageStatus storage) {
    return storage.tables().stream().mapToLong(Table::age).max().orElse(0);
  }

  private static double seconds(@Nullable Instant at) {
    return at == null ? Double.NaN : at.toEpochMilli() / MS_PER_SECOND;
  }

  private double of(ToDoubleFunction<StorageStatus> value) {
    StorageStatus known = newest;
    return known == null ? Double.NaN : value.applyAsDouble(known);
  }

  void show(StorageStatus reading) {
    newest = reading;
    List<String> names = reading.tables().stream().map(Table::name).toList();
    for (Series one : series) {
      one.gauge().register(names.stream().<Row<?>>map(name -> row(name, one.value())).toList());
    }
  }

  private Row<?> row(String name, ToDoubleFunction<Table> value) {
    return Row.of(
        Tags.of("table", name),
        this,
        self ->
            self.of(
                storage ->
                    storage.tables().stream()
                        .filter(table -> table.name().equals(name))
                        .mapToDouble(value)
                        .findFirst()
                        .orElse(Double.NaN)));
  }

  /** The newest reading failed: what was true before is not shown as if it still were. */
  void forget() {
    newest = null;
  }

  void remove() {
    ages.forEach(registry::remove);
    ages.clear();
    series.forEach(one -> one.gauge().register(List.of()));
    series.clear();
  }
}
