package io.millrace.kafka;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The properties of a consumer: Millrace's defaults, the user's own, what must hold. */
final class ConsumerProperties {
  private static final Map<String, String> DEFAULTS =
      Map.of(
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500",
          ConsumerConfig.ISOLATION_LEVEL_CONFIG, IsolationLevel.READ_COMMITTED.toString(),
          // A misspelt topic must not come into being.
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false",
          // How long the records of a new topic partition may wait.
          ConsumerConfig.METADATA_MAX_AGE_CONFIG, "60000",
          // The longest pause after a broker has come back.
          ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "1000");

  private ConsumerProperties() {}

  /**
   * Everything that a consumer is made of.
   *
   * @throws IllegalArgumentException naming a property that must not be changed
   * @throws ConfigException naming a property that is wrong by Kafka's own rules
   */
  static Map<String, Object> of(SourceSettings settings) {
    Map<String, Object> properties = new HashMap<>(DEFAULTS);
    if (!isConsumerProtocol(settings.properties())) {
      // Those that stay need not stop for those that move. The newer protocol refuses the property.
      properties.put(
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          CooperativeStickyAssignor.class.getName());
    }
    Map<String, String> fixed = fixed(settings);
    settings.properties().forEach((name, value) -> refuseOther(fixed, name, value));
    properties.putAll(settings.properties());
    properties.putAll(fixed);
    checkRevokeWait(settings, new ConsumerConfig(properties));
    return properties;
  }

  private static boolean isConsumerProtocol(Map<String, String> own) {
    String protocol = own.getOrDefault(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "");
    return protocol.toUpperCase(Locale.ROOT).equals(GroupProtocol.CONSUMER.name());
  }

  /** Where reading begins, and how far it is, is the database's to say. */
  private static Map<String, String> fixed(SourceSettings settings) {
    String bytes = ByteArrayDeserializer.class.getName();
    return Map.of(
        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
        settings.bootstrapServers(),
        ConsumerConfig.GROUP_ID_CONFIG,
        settings.groupId(),
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
        "none",
        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
        "false",
        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
        bytes,
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
        bytes);
  }

  private static void refuseOther(Map<String, String> fixed, String name, String value) {
    String must = fixed.get(name);
    if (must != null && !must.equals(value)) {
      throw new IllegalArgumentException(
          "Kafka property %s must stay %s, found %s".formatted(name, must, value));
    }
  }

  /** Who does not poll for longer than that is expelled while it waits. */
  private static void checkRevokeWait(SourceSettings settings, ConsumerConfig config) {
    int pollMsMax = config.getInt(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
    if (settings.revokeWaitMsMax() >= pollMsMax) {
      throw new IllegalArgumentException(
          "revokeWaitMsMax must be below Kafka property %s, which is %d; found %d"
              .formatted(
                  ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                  pollMsMax,
                  settings.revokeWaitMsMax()));
    }
  }

  /** What an end offset is: a record of an open transaction may not be read yet. */
  static IsolationLevel isolation(Map<String, Object> properties) {
    String level = String.valueOf(properties.get(ConsumerConfig.ISOLATION_LEVEL_CONFIG));
    return IsolationLevel.valueOf(level.toUpperCase(Locale.ROOT));
  }
}
