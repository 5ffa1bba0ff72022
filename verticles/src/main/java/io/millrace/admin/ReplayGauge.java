package io.millrace.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.port.ReplayStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many replays run. Written on one context, scraped from any thread; without a reading it is
 * NaN.
 */
final class ReplayGauge {
  private final MeterRegistry registry;
  private @Nullable Gauge gauge;
  private volatile double running = Double.NaN;

  ReplayGauge(MeterRegistry registry) {
    this.registry = registry;
  }

  void register() {
    gauge =
        Gauge.builder("millrace.replays.running", this, self -> self.running)
            .description("Replays that have not ended")
            .strongReference(true)
            .register(registry);
  }

  void show(List<ReplayStatus> reading) {
    running = reading.stream().filter(ReplayStatus::isRunning).count();
  }

  /** The newest reading failed: what was true before is not shown as if it still were. */
  void forget() {
    running = Double.NaN;
  }

  void remove() {
    Gauge known = gauge;
    if (known != null) {
      registry.remove(known);
      gauge = null;
    }
  }
}
