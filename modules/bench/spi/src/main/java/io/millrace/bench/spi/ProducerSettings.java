package io.millrace.bench.spi;

import java.util.Map;

/** The Kafka producer of subjects that can choose one: for all of them as Millrace sets its own. */
public final class ProducerSettings {
  /** For a subject's description. */
  public static final String DESCRIPTION = "acks=all, idempotent, linger.ms=1, batch.size=65536";

  private ProducerSettings() {}

  /** All but the serializers. */
  public static Map<String, Object> of(String bootstrapServers) {
    return settings(bootstrapServers, "1");
  }

  /** Where each thread waits for its own message, nothing is won by waiting for more of them. */
  public static Map<String, Object> withoutLinger(String bootstrapServers) {
    return settings(bootstrapServers, "0");
  }

  private static Map<String, Object> settings(String bootstrapServers, String lingerMs) {
    return Map.of(
        "bootstrap.servers", bootstrapServers,
        "acks", "all",
        "enable.idempotence", "true",
        "linger.ms", lingerMs,
        "batch.size", "65536");
  }
}
