package io.millrace.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The properties of the clients that publish: Millrace's defaults, the user's own, what must hold.
 */
final class ClientProperties {
  private static final String NEVER = Integer.toString(Integer.MAX_VALUE);

  private static final Map<String, String> DEFAULTS =
      Map.of(
          // How long a full buffer or missing metadata may block the send thread.
          ProducerConfig.MAX_BLOCK_MS_CONFIG, "2000",
          ProducerConfig.LINGER_MS_CONFIG, "1",
          // Kafka's 16 kB make a request of a few dozen small records.
          ProducerConfig.BATCH_SIZE_CONFIG, "65536",
          ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "5",
          // The longest pause after a broker has come back.
          ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "1000");

  // A record that the producer gives up on can be overtaken by a later one of its key.
  private static final Map<String, String> FIXED =
      Map.of(
          ProducerConfig.ACKS_CONFIG,
          "all",
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          "true",
          ProducerConfig.RETRIES_CONFIG,
          NEVER,
          ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
          NEVER,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ByteArraySerializer.class.getName(),
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
          ByteArraySerializer.class.getName());

  private ClientProperties() {}

  /**
   * @throws IllegalArgumentException naming a property that must not be changed
   */
  static Map<String, String> producer(KafkaSettings settings) {
    Map<String, String> properties = new HashMap<>(DEFAULTS);
    settings.properties().forEach((name, value) -> putOwn(properties, name, value));
    properties.putAll(FIXED);
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
    return properties;
  }

  private static void putOwn(Map<String, String> properties, String name, String value) {
    String fixed = FIXED.get(name);
    if (fixed != null && !fixed.equals(value)) {
      throw new IllegalArgumentException(
          "Kafka property %s must stay %s, found %s".formatted(name, fixed, value));
    }
    if (name.equals(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
      throw new IllegalArgumentException(
          "Kafka property %s must not be set: a transaction that is aborted loses its records"
              .formatted(name));
    }
    properties.put(name, value);
  }

  static Map<String, Object> admin(KafkaSettings settings) {
    return admin(settings.bootstrapServers(), settings.properties());
  }

  /** What the user's properties say about connections holds for the admin client too. */
  static Map<String, Object> admin(String bootstrapServers, Map<String, String> own) {
    Map<String, Object> properties = new HashMap<>();
    String backoffMax = ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG;
    properties.put(backoffMax, DEFAULTS.getOrDefault(backoffMax, "1000"));
    own.entrySet().stream()
        .filter(entry -> AdminClientConfig.configNames().contains(entry.getKey()))
        .filter(entry -> !FIXED.containsKey(entry.getKey()))
        .forEach(entry -> properties.put(entry.getKey(), entry.getValue()));
    properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    return properties;
  }
}
