package io.millrace.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.admin.ReadingGauges.Name;
import io.millrace.core.ring.SlotState;
import io.millrace.port.LaneStatus;
import io.millrace.port.PublishingStatus;
import io.millrace.port.ShardStatus;
import io.millrace.port.SlotStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the status of shards and slots looks like as metrics: totals, and one time series a shard
 * and a slot, so at most 1,024 and 32 a name.
 */
final class StatusGauges {
  private static final double MS_PER_SECOND = 1_000;

  private final ReadingGauges<ShardStatus> shards;
  private final ReadingGauges<SlotStatus> slots;
  private final String nodeId;

  /** Nobody reads a shard then, and nobody shall. */
  private volatile boolean isReplicated;

  StatusGauges(MeterRegistry registry, String nodeId) {
    this.shards = new ReadingGauges<>(registry, "shard", ShardStatus::shard);
    this.slots = new ReadingGauges<>(registry, "slot", SlotStatus::slot);
    this.nodeId = nodeId;
  }

  void register() {
    registerBacklog();
    registerOwners();
    registerSlots();
  }

  private void registerBacklog() {
    shards.total(
        new Name("millrace.backlog", null, "Unpublished messages, up to 100,000 a shard"),
        Tags.empty(),
        all -> all.stream().mapToLong(ShardStatus::backlog).sum());
    shards.total(
        new Name("millrace.lag", "seconds", "Age of the oldest unpublished message"),
        Tags.empty(),
        all -> all.stream().mapToLong(ShardStatus::lagMs).max().orElse(0) / MS_PER_SECOND);
    shards.total(
        new Name("millrace.parked", null, "Messages held back, up to 100,000 a shard"),
        Tags.empty(),
        all -> all.stream().mapToLong(ShardStatus::parked).sum());
    shards.total(
        new Name("millrace.lanes", null, "Quarantined topics, counted in each of their shards"),
        Tags.empty(),
        all -> all.stream().mapToLong(shard -> shard.lanes().size()).sum());
    shards.total(
        new Name("millrace.lane.lag", "seconds", "Age of the oldest message of quarantined topics"),
        Tags.empty(),
        StatusGauges::laneLag);
    shards.each(
        new Name("millrace.shard.backlog", null, "Unpublished messages, up to 100,000"),
        ShardStatus::backlog);
    shards.each(
        new Name("millrace.shard.lag", "seconds", "Age of its oldest unpublished message"),
        shard -> shard.lagMs() / MS_PER_SECOND);
  }

  private void registerOwners() {
    count("millrace.shards.owned", "Shards that this node reads", s -> nodeId.equals(s.node()));
    count(
        "millrace.shards.unowned",
        "Shards that nobody reads although they are not paused and Millrace relays",
        s -> s.owner() == null && !s.paused() && !isReplicated);
    count("millrace.shards.paused", "Shards that an operator has paused", ShardStatus::paused);
    count("millrace.shards.sweeping", "Shards with a long late range", ShardStatus::isSweeping);
  }

  private void count(String name, String description, Predicate<ShardStatus> counts) {
    shards.total(
        new Name(name, null, description),
        Tags.empty(),
        all -> all.stream().filter(counts).count());
  }

  private void registerSlots() {
    for (SlotState state : SlotState.values()) {
      String text = state.name().toLowerCase(Locale.ROOT);
      slots.total(
          new Name("millrace.slots", null, "Slots of the ring by state"),
          Tags.of("state", text),
          all -> all.stream().filter(slot -> slot.state().equals(text)).count());
    }
    for (PostponedKind kind : PostponedKind.values()) {
      slots.total(
          new Name("millrace.slots.postponed", null, "Slots whose last cleaning was postponed"),
          Tags.of("reason", kind.tag()),
          all -> all.stream().filter(slot -> PostponedKind.of(slot.postponed()) == kind).count());
    }
    slots.each(
        new Name("millrace.slot.bytes", "bytes", "Size with index and large values"),
        SlotStatus::bytes);
    slots.each(
        new Name("millrace.slot.rows", null, "Messages, above 100,000 an estimate"),
        SlotStatus::rows);
    slots.each(
        new Name("millrace.slot.dead.rows", null, "Dead tuples; rolled-back inserts leave some"),
        SlotStatus::deadRows);
    slots.each(
        new Name("millrace.slot.last.vacuum.timestamp", "seconds", "Last vacuum; NaN: never"),
        slot -> seconds(slot.lastVacuumAt()));
  }

  private static double laneLag(Collection<ShardStatus> all) {
    return all.stream()
            .flatMap(shard -> shard.lanes().stream())
            .mapToLong(LaneStatus::lagMs)
            .max()
            .orElse(0)
        / MS_PER_SECOND;
  }

  private static double seconds(@Nullable Instant at) {
    return at == null ? Double.NaN : at.toEpochMilli() / MS_PER_SECOND;
  }

  void showShards(List<ShardStatus> reading) {
    shards.show(reading);
  }

  void showSlots(List<SlotStatus> reading) {
    slots.show(reading);
  }

  void showPublishing(PublishingStatus reading) {
    isReplicated = reading.isReplicated();
  }

  void forgetShards() {
    shards.forget();
  }

  void forgetSlots() {
    slots.forget();
  }

  void remove() {
    shards.remove();
    slots.remove();
  }
}
