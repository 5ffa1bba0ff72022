package io.millrace.devstack;

import java.nio.file.Path;
import java.util.List;
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
 * @param advertisedPort the port on 127.0.0.1 to which the broker sends its clients, a proxy's;
 *     empty: its own
 * @param hasAccessControl whether clients must log in, as {@link KafkaServer#clientSettings} says,
 *     so that topics can be denied to them
 * @param jvmOptions of the broker's process; a container has its own
 */
public record KafkaSpec(
    @Nullable Path directory,
    OptionalInt port,
    Map<String, String> settings,
    OptionalInt advertisedPort,
    boolean hasAccessControl,
    List<String> jvmOptions) {

  /** Small and quick to start rather than fast. */
  private static final List<String> SMALL =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  public KafkaSpec {
    settings = Map.copyOf(settings);
    jvmOptions = List.copyOf(jvmOptions);
  }

  /** Temporary, on a free port, default settings, open to everybody. */
  public static KafkaSpec defaults() {
    return new KafkaSpec(null, OptionalInt.empty(), Map.of(), OptionalInt.empty(), false, SMALL);
  }

  public KafkaSpec withDirectory(Path fixed) {
    return new KafkaSpec(fixed, port, settings, advertisedPort, hasAccessControl, jvmOptions);
  }

  public KafkaSpec withPort(int fixed) {
    return new KafkaSpec(
        directory, OptionalInt.of(fixed), settings, advertisedPort, hasAccessControl, jvmOptions);
  }

  public KafkaSpec withSettings(Map<String, String> all) {
    return new KafkaSpec(directory, port, all, advertisedPort, hasAccessControl, jvmOptions);
  }

  public KafkaSpec withAdvertisedPort(int advertised) {
    return new KafkaSpec(
        directory, port, settings, OptionalInt.of(advertised), hasAccessControl, jvmOptions);
  }

  public KafkaSpec withAccessControl() {
    return new KafkaSpec(directory, port, settings, advertisedPort, true, jvmOptions);
  }

  /** In place of the defaults, with which the broker is small and quick to start. */
  public KafkaSpec withJvmOptions(List<String> all) {
    return new KafkaSpec(directory, port, settings, advertisedPort, hasAccessControl, all);
  }
}
