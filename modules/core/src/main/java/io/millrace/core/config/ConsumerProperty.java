package io.millrace.core.config;

import java.util.Map;
import java.util.Optional;

/** Which consumer properties may be passed through. */
final class ConsumerProperty {
  private static final String DATABASE =
      "progress lies in the database, in the transaction of the effects";
  private static final String BYTES = "keys and values are handed over as the bytes that came";

  private static final Map<String, String> REFUSED =
      Map.of(
          "group.id",
          "the consumer's name gives it",
          "auto.offset.reset",
          "it stays none, because " + DATABASE,
          "enable.auto.commit",
          "it stays false, because " + DATABASE,
          "key.deserializer",
          BYTES,
          "value.deserializer",
          BYTES,
          "bootstrap.servers",
          "kafka.bootstrap_servers gives it");

  private ConsumerProperty() {}

  /** The rule that the property breaks, with its reason; empty if it may be passed through. */
  static Optional<String> refusal(String name, String value) {
    return Optional.ofNullable(REFUSED.get(name)).map(why -> "must not be set, because " + why);
  }
}
