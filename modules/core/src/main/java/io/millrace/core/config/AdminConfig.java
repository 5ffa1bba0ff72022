package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code admin}: the HTTP API, metrics and health. Each component's unit, limits and harm
 * stand with its key.
 */
public record AdminConfig(boolean enabled, String host, int port) {

  /** Whether this node serves the admin API; off, it cannot be asked for health or metrics. */
  public static final BooleanKey ENABLED = new BooleanKey("admin.enabled", true);

  /**
   * The address to listen on. Only loopback is allowed: there is no authentication yet, and whoever
   * reaches the API could redrive and discard messages.
   */
  public static final TextKey HOST = new TextKey("admin.host", "127.0.0.1", TextRule.LOOPBACK);

  /** The TCP port to listen on, 0 for any free one; one in use by others stops the start. */
  public static final IntKey PORT = new IntKey("admin.port", 8720, 0, 65_535, "TCP port");

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public AdminConfig {
    new Problems().check(ENABLED, enabled).check(HOST, host).check(PORT, port).throwIfAny();
  }

  /** Every field at its default. */
  public static AdminConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static AdminConfig read(ConfigReader reader) {
    return new AdminConfig(reader.read(ENABLED), reader.read(HOST), reader.read(PORT));
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    HOST.printTo(target, host);
    PORT.printTo(target, port);
  }
}
