package io.millrace.devstack;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Which Kafka to start: one broker, its own controller.
 *
 * @param directory kept when the server is closed and found again by the next one; null is a
 *     temporary directory, deleted when the server is closed or this JVM dies
 * @param port on 127.0.0.1; empty picks a free one
 * @param settings broker settings by name, stronger than the defaults of {@link KafkaServer}
 */
public record KafkaSpec(@Nullable Path directory, OptionalInt port, Map<String, String> settings) {

  public KafkaSpec {
    settings = Map.copyOf(settings);
  }

  /** Temporary, on a free port, default settings. */
  public static KafkaSpec defaults() {
    return new KafkaSpec(null, OptionalInt.empty(), Map.of());
  }

  public KafkaSpec withDirectory(Path fixed) {
    return new KafkaSpec(fixed, port, settings);
  }

  public KafkaSpec withPort(int fixed) {
    return new KafkaSpec(directory, OptionalInt.of(fixed), settings);
  }

  public KafkaSpec withSettings(Map<String, String> all) {
    return new KafkaSpec(directory, port, all);
  }
}
