package io.millrace.kafka;

import java.util.Map;
import java.util.TreeSet;

/**
 * Where and how to publish.
 *
 * @param bootstrapServers host:port, separated by commas
 * @param properties further properties of the Kafka client, by name; those that order and
 *     durability rest on cannot be changed
 * @param source the CloudEvents source of every message: a non-empty URI reference
 */
public record KafkaSettings(
    String bootstrapServers, Map<String, String> properties, String source) {

  /**
   * Checks what is needed of every setting.
   *
   * @throws IllegalArgumentException when a text is blank
   */
  public KafkaSettings {
    properties = Map.copyOf(properties);
    if (bootstrapServers.isBlank()) {
      throw new IllegalArgumentException("bootstrapServers must not be blank");
    }
    if (source.isBlank()) {
      throw new IllegalArgumentException(
          "source must not be blank, because CloudEvents demands one");
    }
  }

  /** Shows the names of the properties only: their values may be passwords. */
  @Override
  public String toString() {
    return "KafkaSettings[bootstrapServers=%s, properties=%s, source=%s]"
        .formatted(bootstrapServers, new TreeSet<>(properties.keySet()), source);
  }
}
