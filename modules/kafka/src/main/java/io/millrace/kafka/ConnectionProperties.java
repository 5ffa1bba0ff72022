package io.millrace.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** Properties that say how to reach the brokers (TLS, SASL, time-outs) hold for every client. */
public final class ConnectionProperties {
  private ConnectionProperties() {}

  /**
   * A consumer's properties.
   *
   * @param shared of which those are taken that every client knows
   * @param own which win
   */
  public static Map<String, String> forConsumer(
      Map<String, String> shared, Map<String, String> own) {
    Map<String, String> merged = new HashMap<>();
    shared.forEach(
        (name, value) -> {
          if (AdminClientConfig.configNames().contains(name)) {
            merged.put(name, value);
          }
        });
    merged.putAll(own);
    return merged;
  }
}
