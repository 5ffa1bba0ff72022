package io.millrace.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gauges over the newest reading of things that have a number. Written on one context, scraped from
 * any thread: a reading is an immutable map behind a volatile field. Without a reading a gauge is
 * NaN.
 */
final class ReadingGauges<T> {
  private final MeterRegistry registry;
  private final String tag;
  private final ToIntFunction<T> number;
  private final List<Gauge> totals = new ArrayList<>();
  private final List<Series<T>> series = new ArrayList<>();
  private volatile Map<Integer, T> newest = Map.of();

  /** What a gauge is called. */
  record Name(String name, @Nullable String unit, String description) {}

  private record Series<T>(MultiGauge gauge, ToDoubleFunction<T> value) {}

  /**
   * Nothing is registered yet.
   *
   * @param tag what the number is called in time series of single things
   */
  ReadingGauges(MeterRegistry registry, String tag, ToIntFunction<T> number) {
    this.registry = registry;
    this.tag = tag;
    this.number = number;
  }

  /** Registers a gauge over all things together. */
  void total(Name name, Tags tags, ToDoubleFunction<Collection<T>> value) {
    totals.add(
        Gauge.builder(name.name(), this, self -> self.totalOf(value))
            .baseUnit(name.unit())
            .description(name.description())
            .tags(tags)
            .strongReference(true)
            .register(registry));
  }

  /** Registers a time series for each thing that a reading shows. */
  void each(Name name, ToDoubleFunction<T> value) {
    MultiGauge gauge =
        MultiGauge.builder(name.name())
            .baseUnit(name.unit())
            .description(name.description())
            .register(registry);
    series.add(new Series<>(gauge, value));
  }

  /** Shows a reading; things that are gone lose their time series. */
  void show(List<T> reading) {
    newest = reading.stream().collect(Collectors.toUnmodifiableMap(number::applyAsInt, t -> t));
    series.forEach(one -> one.gauge().register(rows(one.value())));
  }

  private List<Row<?>> rows(ToDoubleFunction<T> value) {
    Function<Integer, Row<?>> row =
        n -> Row.of(Tags.of(tag, Integer.toString(n)), this, self -> self.valueOf(n, value));
    return newest.keySet().stream().<Row<?>>map(row).toList();
  }

  /** The newest reading failed: what was true before is not shown as if it still were. */
  void forget() {
    newest = Map.of();
  }

  void remove() {
    totals.forEach(registry::remove);
    totals.clear();
    series.forEach(one -> one.gauge().register(List.of()));
    series.clear();
  }

  private double totalOf(ToDoubleFunction<Collection<T>> value) {
    Collection<T> all = newest.values();
    return all.isEmpty() ? Double.NaN : value.applyAsDouble(all);
  }

  private double valueOf(int n, ToDoubleFunction<T> value) {
    T one = newest.get(n);
    return one == null ? Double.NaN : value.applyAsDouble(one);
  }
}
