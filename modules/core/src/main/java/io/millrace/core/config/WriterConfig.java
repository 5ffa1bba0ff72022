package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code writer}: commands over the event bus. Each component's unit, limits and harm stand
 * with its key.
 */
public record WriterConfig(
    boolean enabled, long commandTimeoutMs, long nudgeDelayMs, int commandRetentionDays) {

  /** Whether this node runs commands; off on all nodes, commands find nobody who answers. */
  public static final BooleanKey ENABLED = new BooleanKey("writer.enabled", true);

  /**
   * Longest run of one command, after which the caller is told that the outcome is unknown. Too
   * short, and callers repeat commands that were about to succeed; too long, and a stuck one keeps
   * its connection from others.
   */
  public static final LongKey COMMAND_TIMEOUT_MS =
      new LongKey("writer.command_timeout_ms", 10_000L, 100, 600_000, "ms");

  /**
   * How long nudges are gathered before one is sent. 0 sends each at once and floods the event bus
   * under load; a long one adds that much to the latency of a lone message.
   */
  public static final LongKey NUDGE_DELAY_MS =
      new LongKey("writer.nudge_delay_ms", 2L, 0, 1_000, "ms");

  /**
   * How long a repeated command_id is recognised. Shorter than callers go on repeating, and a late
   * repetition is refused instead of answered; longer keeps more answers in the database.
   */
  public static final IntKey COMMAND_RETENTION_DAYS =
      new IntKey("writer.command_retention_days", 7, 1, 10, "days");

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public WriterConfig {
    new Problems()
        .check(ENABLED, enabled)
        .check(COMMAND_TIMEOUT_MS, commandTimeoutMs)
        .check(NUDGE_DELAY_MS, nudgeDelayMs)
        .check(COMMAND_RETENTION_DAYS, commandRetentionDays)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static WriterConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static WriterConfig read(ConfigReader reader) {
    return new WriterConfig(
        reader.read(ENABLED),
        reader.read(COMMAND_TIMEOUT_MS),
        reader.read(NUDGE_DELAY_MS),
        reader.read(COMMAND_RETENTION_DAYS));
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    COMMAND_TIMEOUT_MS.printTo(target, commandTimeoutMs);
    NUDGE_DELAY_MS.printTo(target, nudgeDelayMs);
    COMMAND_RETENTION_DAYS.printTo(target, commandRetentionDays);
  }
}
