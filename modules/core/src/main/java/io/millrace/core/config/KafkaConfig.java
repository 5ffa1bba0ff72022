package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code kafka}: the brokers that messages are published to. Each component's unit, limits
 * and harm stand with its key.
 */
public record KafkaConfig(String bootstrapServers, String source, Map<String, String> properties) {

  /**
   * Brokers to find the cluster through. With a single one, a start while it is down fails; with
   * those of another cluster, messages are published there.
   */
  public static final TextKey BOOTSTRAP_SERVERS =
      new TextKey("kafka.bootstrap_servers", "127.0.0.1:9092", TextRule.SERVERS);

  /**
   * The CloudEvents source that every record carries. Consumers that tell senders apart by it mix
   * up two installations with the same one.
   */
  public static final TextKey SOURCE =
      new TextKey("kafka.source", "/millrace", TextRule.URI_REFERENCE);

  /**
   * Further properties of the producer (TLS, SASL, linger.ms, compression.type, ...). Those that
   * order and durability rest on are refused; a name that the client does not know has no effect.
   */
  public static final TextMapKey PROPERTIES =
      new TextMapKey(
          "kafka.properties",
          "Kafka producer properties by name, each a text, number or boolean",
          ProducerProperty::refusal,
          ProducerProperty::isSecret);

  /**
   * @throws ConfigException if a value is outside its limits or a property is refused
   */
  public KafkaConfig {
    properties = Map.copyOf(properties);
    new Problems()
        .check(BOOTSTRAP_SERVERS, bootstrapServers)
        .check(SOURCE, source)
        .check(PROPERTIES, properties)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static KafkaConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static KafkaConfig read(ConfigReader reader) {
    return new KafkaConfig(
        reader.read(BOOTSTRAP_SERVERS), reader.read(SOURCE), reader.read(PROPERTIES));
  }

  /** Masks the properties whose names speak of secrets. */
  @Override
  public String toString() {
    return "KafkaConfig[bootstrapServers="
        + bootstrapServers
        + ", source="
        + source
        + ", properties="
        + PROPERTIES.print(properties)
        + "]";
  }

  void printTo(Map<String, String> target) {
    BOOTSTRAP_SERVERS.printTo(target, bootstrapServers);
    SOURCE.printTo(target, source);
    PROPERTIES.printTo(target, properties);
  }
}
