package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code shutdown}: ending in order. The component's unit, limits and harm stand with its
 * key.
 */
public record ShutdownConfig(long drainTimeoutMs) {

  /**
   * How long a stop may take before the process ends all the same. It contains the settling of
   * relay and inbox and must be longer, or messages are cut off that were about to be settled;
   * longer than the platform's own limit (30 s on Kubernetes), and the process is killed instead.
   */
  public static final LongKey DRAIN_TIMEOUT_MS =
      new LongKey("shutdown.drain_timeout_ms", 20_000L, 1_000, 600_000, "ms");

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public ShutdownConfig {
    new Problems().check(DRAIN_TIMEOUT_MS, drainTimeoutMs).throwIfAny();
  }

  /** Every field at its default. */
  public static ShutdownConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static ShutdownConfig read(ConfigReader reader) {
    return new ShutdownConfig(reader.read(DRAIN_TIMEOUT_MS));
  }

  void relate(Problems problems, RelayConfig relay, InboxConfig inbox) {
    problems.relate(
        drainTimeoutMs > relay.settleTimeoutMs(),
        DRAIN_TIMEOUT_MS,
        drainTimeoutMs,
        RelayConfig.SETTLE_TIMEOUT_MS,
        "must be more than relay.settle_timeout_ms (" + relay.settleTimeoutMs() + ")");
    problems.relate(
        drainTimeoutMs > inbox.settleTimeoutMs(),
        DRAIN_TIMEOUT_MS,
        drainTimeoutMs,
        InboxConfig.SETTLE_TIMEOUT_MS,
        "must be more than inbox.settle_timeout_ms (" + inbox.settleTimeoutMs() + ")");
  }

  void printTo(Map<String, String> target) {
    DRAIN_TIMEOUT_MS.printTo(target, drainTimeoutMs);
  }
}
