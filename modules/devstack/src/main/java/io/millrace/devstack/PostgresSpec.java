package io.millrace.devstack;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Which PostgreSQL to start.
 *
 * @param majorVersion 18 or 15
 * @param dataDirectory kept when the server is closed and found again by the next one; null is a
 *     temporary directory, deleted when the server is closed or this JVM dies
 * @param port on 127.0.0.1; empty picks a free one
 * @param settings server settings by name, stronger than the defaults of {@link PostgresServer}
 */
public record PostgresSpec(
    int majorVersion,
    @Nullable Path dataDirectory,
    OptionalInt port,
    Map<String, String> settings) {

  /** The system property that {@link #fromSystemProperty} reads. */
  public static final String VERSION_PROPERTY = "millrace.postgres";

  private static final int NEWEST = 18;

  public PostgresSpec {
    settings = Map.copyOf(settings);
  }

  /** Temporary, on a free port, default settings. */
  public static PostgresSpec ofVersion(int majorVersion) {
    return new PostgresSpec(majorVersion, null, OptionalInt.empty(), Map.of());
  }

  /** As {@link #ofVersion}, with the version named by the system property, 18 without it. */
  public static PostgresSpec fromSystemProperty() {
    return ofVersion(Integer.getInteger(VERSION_PROPERTY, NEWEST));
  }

  public PostgresSpec withDataDirectory(Path directory) {
    return new PostgresSpec(majorVersion, directory, port, settings);
  }

  public PostgresSpec withPort(int fixed) {
    return new PostgresSpec(majorVersion, dataDirectory, OptionalInt.of(fixed), settings);
  }

  public PostgresSpec withSettings(Map<String, String> all) {
    return new PostgresSpec(majorVersion, dataDirectory, port, all);
  }
}
