package io.millrace.core.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Which producer properties may be passed through, and which of them must not be shown. */
final class ProducerProperty {

  private static final String IN_FLIGHT = "max.in.flight.requests.per.connection";
  private static final int IN_FLIGHT_MAX = 5;

  // An expired record that a later one overtakes reorders its key, even with idempotence.
  private static final String NEVER_GIVES_UP =
      "a record that the producer gives up on can be overtaken by a later one of its key";
  private static final String ONE_TOPIC_PARTITION =
      "the records of a key must meet in one topic partition, or their order is lost";
  private static final String BYTES = "keys and values are sent as the bytes that were stored";

  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("acks", "it stays all, or a published message can be lost with one broker"),
          Map.entry("enable.idempotence", "it stays true, or a retry repeats and reorders records"),
          Map.entry("retries", NEVER_GIVES_UP),
          Map.entry("delivery.timeout.ms", NEVER_GIVES_UP),
          Map.entry("partitioner.class", ONE_TOPIC_PARTITION),
          Map.entry("partitioner.ignore.keys", ONE_TOPIC_PARTITION),
          Map.entry("key.serializer", BYTES),
          Map.entry("value.serializer", BYTES),
          Map.entry("transactional.id", "receipts record what is published, not transactions"),
          Map.entry("bootstrap.servers", "kafka.bootstrap_servers gives it"));

  private static final List<String> SECRET_WORDS =
      List.of("password", "secret", "jaas", "credential", "token", "keystore.key");

  private ProducerProperty() {}

  /** The rule that the property breaks, with its reason; empty if it may be passed through. */
  static Optional<String> refusal(String name, String value) {
    if (name.equals(IN_FLIGHT)) {
      return LongKey.wholeNumber(value).filter(n -> n >= 1 && n <= IN_FLIGHT_MAX).isPresent()
          ? Optional.empty()
          : Optional.of(
              "must be a whole number from 1 to "
                  + IN_FLIGHT_MAX
                  + ", because above it the producer does not keep the order");
    }
    return Optional.ofNullable(REFUSED.get(name)).map(why -> "must not be set, because " + why);
  }

  /** Whether the name speaks of a secret; rather one too many than one too few. */
  static boolean isSecret(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return SECRET_WORDS.stream().anyMatch(lower::contains);
  }
}
