package io.millrace.example.payment.check;

import io.millrace.devstack.DevStack;
import java.util.LinkedHashMap;
import java.util.Map;

/** The configuration of a consumer process: only the inbox, and what cleans up behind it. */
final class NodeSettings {
  /** Short, so that a killed member is noticed soon. */
  static final int SESSION_MS = 3_000;

  private static final int HEARTBEAT_MS = 500;

  private NodeSettings() {}

  /** The broker's, which must allow such a short session. */
  static Map<String, String> broker() {
    return Map.of("group.min.session.timeout.ms", Integer.toString(SESSION_MS));
  }

  /** Sections of keys, as in a configuration file. */
  static Map<String, Object> of(DevStack stack) {
    Map<String, Object> sections = new LinkedHashMap<>();
    sections.put(
        "database",
        Map.of(
            "host",
            stack.postgres().host(),
            "port",
            stack.postgres().port(),
            "name",
            "postgres",
            "user",
            stack.postgres().user(),
            "ssl_mode",
            "disable"));
    sections.put("kafka", Map.of("bootstrap_servers", stack.kafka().bootstrapServers()));
    sections.put(
        "inbox",
        Map.of(
            "properties",
            Map.of("session.timeout.ms", SESSION_MS, "heartbeat.interval.ms", HEARTBEAT_MS)));
    // Progress lists are turned all the time, which a consumer must not notice.
    sections.put("maintenance", Map.of("interval_ms", 500, "receipt_age_max_ms", 5_000));
    sections.put("writer", Map.of("enabled", false));
    sections.put("relay", Map.of("enabled", false));
    sections.put("admin", Map.of("enabled", false));
    return sections;
  }
}
