package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code maintenance}: turning the ring and cleaning it. Each component's unit, limits and
 * harm stand with its key.
 */
public record MaintenanceConfig(
    boolean enabled,
    long intervalMs,
    int slotsMin,
    int slotsMax,
    int freeSlotsMin,
    long slotBytesMax,
    long slotAgeMaxMs,
    long slotSurplusAfterMs,
    long retentionMs,
    long retentionBytesMax,
    long lockTimeoutMs,
    long receiptAgeMaxMs) {

  /** Whether this node may do maintenance; off on all nodes, the outbox grows without end. */
  public static final BooleanKey ENABLED = new BooleanKey("maintenance.enabled", true);

  /** Pause between two rounds; too long, and the hot slot outgrows its size by that much. */
  public static final LongKey INTERVAL_MS =
      new LongKey("maintenance.interval_ms", 1_000L, 20, 600_000, "ms");

  /**
   * Slots kept attached even if idle. Besides the free ones there must be one that is hot and one
   * that drains, so too few are refused.
   */
  public static final IntKey SLOTS_MIN = new IntKey("maintenance.slots_min", 4, 3, 32, "slots");

  /**
   * Slots attached at most; the cost of a pass grows with them. When all are in use and none is
   * published, the hot one grows beyond its size and an alarm is raised.
   */
  public static final IntKey SLOTS_MAX = new IntKey("maintenance.slots_max", 32, 3, 32, "slots");

  /**
   * Free slots kept ready, since attaching one waits for running transactions. Too few, and a long
   * transaction keeps the ring from turning.
   */
  public static final IntKey FREE_SLOTS_MIN =
      new IntKey("maintenance.free_slots_min", 1, 1, 8, "slots");

  /**
   * Size at which the hot slot is closed. Small ones turn often and use up the slots; large ones
   * give space back late.
   */
  public static final LongKey SLOT_BYTES_MAX =
      new LongKey("maintenance.slot_bytes_max", 1_073_741_824L, 8_192, 1_099_511_627_776L, "bytes");

  /** Age at which the hot slot is closed, whatever its size; long ones give space back late. */
  public static final LongKey SLOT_AGE_MAX_MS =
      new LongKey("maintenance.slot_age_max_ms", 3_600_000L, 50, 604_800_000, "ms");

  /**
   * A free slot above slots_min that was not needed for so long is detached and dropped. Too short,
   * and a ring that has shrunk has to grow again for the next peak.
   */
  public static final LongKey SLOT_SURPLUS_AFTER_MS =
      new LongKey("maintenance.slot_surplus_after_ms", 21_600_000L, 50, 604_800_000, "ms");

  /**
   * How long published messages are kept for replay and diagnosis, if retention_bytes_max allows.
   * Too long for the rate of messages, and slots run short; 0 keeps nothing to look at.
   */
  public static final LongKey RETENTION_MS =
      new LongKey("maintenance.retention_ms", 21_600_000L, 0, 2_592_000_000L, "ms");

  /**
   * Size of all published slots together; above it the oldest go before their time. Too small, and
   * less is kept than retention_ms says.
   */
  public static final LongKey RETENTION_BYTES_MAX =
      new LongKey(
          "maintenance.retention_bytes_max", 17_179_869_184L, 0, 35_184_372_088_832L, "bytes");

  /**
   * Longest wait for a lock that others queue behind. Too long, and writers stall for it; too
   * short, and cleaning never gets its turn under load.
   */
  public static final LongKey LOCK_TIMEOUT_MS =
      new LongKey("maintenance.lock_timeout_ms", 10L, 1, 1_000, "ms");

  /**
   * Age at which a receipt list is closed and the next one begun. Too long, and finding a message's
   * receipt and a shard's cursor reads more; too short, and receipts are carried forward often.
   */
  public static final LongKey RECEIPT_AGE_MAX_MS =
      new LongKey("maintenance.receipt_age_max_ms", 3_600_000L, 100, 604_800_000, "ms");

  // One slot is hot and one drains while the free ones wait.
  private static final int BUSY_SLOTS_MIN = 2;

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public MaintenanceConfig {
    new Problems()
        .check(ENABLED, enabled)
        .check(INTERVAL_MS, intervalMs)
        .check(SLOTS_MIN, slotsMin)
        .check(SLOTS_MAX, slotsMax)
        .check(FREE_SLOTS_MIN, freeSlotsMin)
        .check(SLOT_BYTES_MAX, slotBytesMax)
        .check(SLOT_AGE_MAX_MS, slotAgeMaxMs)
        .check(SLOT_SURPLUS_AFTER_MS, slotSurplusAfterMs)
        .check(RETENTION_MS, retentionMs)
        .check(RETENTION_BYTES_MAX, retentionBytesMax)
        .check(LOCK_TIMEOUT_MS, lockTimeoutMs)
        .check(RECEIPT_AGE_MAX_MS, receiptAgeMaxMs)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static MaintenanceConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static MaintenanceConfig read(ConfigReader reader) {
    return new MaintenanceConfig(
        reader.read(ENABLED),
        reader.read(INTERVAL_MS),
        reader.read(SLOTS_MIN),
        reader.read(SLOTS_MAX),
        reader.read(FREE_SLOTS_MIN),
        reader.read(SLOT_BYTES_MAX),
        reader.read(SLOT_AGE_MAX_MS),
        reader.read(SLOT_SURPLUS_AFTER_MS),
        reader.read(RETENTION_MS),
        reader.read(RETENTION_BYTES_MAX),
        reader.read(LOCK_TIMEOUT_MS),
        reader.read(RECEIPT_AGE_MAX_MS));
  }

  void relate(Problems problems) {
    problems.atLeast(SLOTS_MAX, slotsMax, SLOTS_MIN, slotsMin);
    int needed = freeSlotsMin + BUSY_SLOTS_MIN;
    problems.relate(
        slotsMin >= needed,
        SLOTS_MIN,
        slotsMin,
        FREE_SLOTS_MIN,
        "must be at least maintenance.free_slots_min + " + BUSY_SLOTS_MIN + " (" + needed + ")");
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    INTERVAL_MS.printTo(target, intervalMs);
    SLOTS_MIN.printTo(target, slotsMin);
    SLOTS_MAX.printTo(target, slotsMax);
    FREE_SLOTS_MIN.printTo(target, freeSlotsMin);
    SLOT_BYTES_MAX.printTo(target, slotBytesMax);
    SLOT_AGE_MAX_MS.printTo(target, slotAgeMaxMs);
    SLOT_SURPLUS_AFTER_MS.printTo(target, slotSurplusAfterMs);
    RETENTION_MS.printTo(target, retentionMs);
    RETENTION_BYTES_MAX.printTo(target, retentionBytesMax);
    LOCK_TIMEOUT_MS.printTo(target, lockTimeoutMs);
    RECEIPT_AGE_MAX_MS.printTo(target, receiptAgeMaxMs);
  }
}
