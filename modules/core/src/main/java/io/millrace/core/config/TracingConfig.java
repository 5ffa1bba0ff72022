package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code tracing}: spans of the server. An application that embeds Millrace gives its
 * tracer to its own Vert.x instead, and this section says nothing to it.
 */
public record TracingConfig(boolean enabled) {

  /**
   * Whether the server continues the traces of messages and exports its spans, as the standard
   * OTEL_ variables of its environment say. Every message that carries a trace then costs two
   * spans.
   */
  public static final BooleanKey ENABLED = new BooleanKey("tracing.enabled", false);

  /** Every field at its default. */
  public static TracingConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static TracingConfig read(ConfigReader reader) {
    return new TracingConfig(reader.read(ENABLED));
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
  }
}
