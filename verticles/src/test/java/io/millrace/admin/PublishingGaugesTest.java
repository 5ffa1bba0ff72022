package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.port.PublishingStatus;
import io.millrace.port.PublishingStatus.ReplicationSlot;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PublishingGaugesTest {
  private static final ReplicationSlot OURS =
      new ReplicationSlot("ours", true, "reserved", 10L, 20);
  private static final ReplicationSlot LOST = new ReplicationSlot("other", false, "lost", null, 30);

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final PublishingGauges gauges = new PublishingGauges(registry);

  @BeforeEach
  void register() {
    gauges.register();
  }

  private double value(String name, String... tags) {
    Gauge gauge = registry.find(name).tags(tags).gauge();
    return gauge == null ? Double.NEGATIVE_INFINITY : gauge.value();
  }

  @Test
  void while_millrace_relays_nothing_is_behind_however_far_other_replication_slots_are() {
    gauges.show(new PublishingStatus("relay", null, null, List.of(OURS, LOST)));

    assertThat(value("millrace.publisher", "publisher", "relay")).isEqualTo(1);
    assertThat(value("millrace.publisher", "publisher", "debezium")).isZero();
    assertThat(value("millrace.replication.lag")).isZero();
    assertThat(value("millrace.replication.broken")).isZero();
    assertThat(value("millrace.replication.retained")).isEqualTo(30);
    assertThat(value("millrace.replication.slot.lag", "slot", "ours")).isEqualTo(10);
    assertThat(value("millrace.replication.slot.lag", "slot", "other")).isNaN();
    assertThat(value("millrace.replication.slot.lost", "slot", "other")).isEqualTo(1);
    assertThat(value("millrace.replication.slot.active", "slot", "ours")).isEqualTo(1);
  }

  @Test
  void while_debezium_publishes_its_replication_slot_says_how_far_it_is_behind() {
    gauges.show(new PublishingStatus("debezium", "ours", null, List.of(OURS, LOST)));
    assertThat(value("millrace.publisher", "publisher", "debezium")).isEqualTo(1);
    assertThat(value("millrace.replication.lag")).isEqualTo(10);

    gauges.show(new PublishingStatus("debezium", "ours", "it is gone", List.of(LOST)));
    assertThat(value("millrace.replication.broken")).isEqualTo(1);
    assertThat(value("millrace.replication.lag")).isNaN();
    assertThat(value("millrace.replication.slot.lag", "slot", "ours"))
        .as("its time series goes with it")
        .isInfinite();
  }

  @Test
  void a_reading_that_failed_shows_nothing_old() {
    gauges.show(new PublishingStatus("debezium", "ours", null, List.of(OURS)));
    gauges.forget();

    assertThat(value("millrace.replication.lag")).isNaN();
    assertThat(value("millrace.replication.slot.lag", "slot", "ours")).isNaN();
    gauges.remove();
    assertThat(registry.getMeters()).isEmpty();
  }
}
