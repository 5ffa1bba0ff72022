package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code node}: this process among the others. Each component's unit, limits and harm stand
 * with its key.
 */
public record NodeConfig(String id, long leaseDurationMs, long heartbeatIntervalMs) {

  /**
   * Names this process in logs, metrics and the database. Empty: made at start from host name,
   * process id and a random suffix. Given twice at the same time, two nodes take each other's
   * heartbeats for their own, and a dead one is found late.
   */
  public static final TextKey ID = new TextKey("node.id", "", TextRule.NODE_ID);

  /**
   * Time without a heartbeat after which the node's shards may be taken over. Too short, and a
   * pause of the process or the database moves shards for nothing and repeats messages; too long,
   * and the shards of a crashed node stand still for that time.
   */
  public static final LongKey LEASE_DURATION_MS =
      new LongKey("node.lease_duration_ms", 5_000L, 1_000, 60_000, "ms");

  /**
   * Pause between two heartbeats. Above a third of the lease a single lost heartbeat can cost the
   * shards, so that is refused; too short, and heartbeats load the database for nothing.
   */
  public static final LongKey HEARTBEAT_INTERVAL_MS =
      new LongKey("node.heartbeat_interval_ms", 1_000L, 50, 20_000, "ms");

  private static final int HEARTBEATS_PER_LEASE_MIN = 3;

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public NodeConfig {
    new Problems()
        .check(ID, id)
        .check(LEASE_DURATION_MS, leaseDurationMs)
        .check(HEARTBEAT_INTERVAL_MS, heartbeatIntervalMs)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static NodeConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static NodeConfig read(ConfigReader reader) {
    return new NodeConfig(
        reader.read(ID), reader.read(LEASE_DURATION_MS), reader.read(HEARTBEAT_INTERVAL_MS));
  }

  /** The same section with another id. */
  public NodeConfig withId(String newId) {
    return new NodeConfig(newId, leaseDurationMs, heartbeatIntervalMs);
  }

  void relate(Problems problems) {
    long leaseMsMin = HEARTBEATS_PER_LEASE_MIN * heartbeatIntervalMs;
    problems.relate(
        leaseDurationMs >= leaseMsMin,
        LEASE_DURATION_MS,
        leaseDurationMs,
        HEARTBEAT_INTERVAL_MS,
        "must be at least "
            + HEARTBEATS_PER_LEASE_MIN
            + " times node.heartbeat_interval_ms ("
            + leaseMsMin
            + ")");
  }

  void printTo(Map<String, String> target) {
    ID.printTo(target, id);
    LEASE_DURATION_MS.printTo(target, leaseDurationMs);
    HEARTBEAT_INTERVAL_MS.printTo(target, heartbeatIntervalMs);
  }
}
