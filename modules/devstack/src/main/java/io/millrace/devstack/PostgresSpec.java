package io.millrace.devstack;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Which PostgreSQL to start.
 *
 * @param majorVersion 18 or 15; the lowest one with PostGIS, of which there is what the system has
 * @param postgis whether PostGIS is needed: then the programs are those of this system's packages
 * @param dataDirectory kept when the server is closed and found again by the next one; null is a
 *     temporary directory, deleted when the server is closed or this JVM dies
 * @param port on 127.0.0.1; empty picks a free one
 * @param settings server settings by name, stronger than the defaults of {@link PostgresServer}
 */
public record PostgresSpec(
    int majorVersion,
    boolean postgis,
    @Nullable Path dataDirectory,
    OptionalInt port,
    Map<String, String> settings) {

  /** The system property that {@link #fromSystemProperty} reads. */
  public static final String VERSION_PROPERTY = "millrace.postgres";

  private static final int NEWEST = 18;
  private static final int OLDEST = 15;

  public PostgresSpec {
    settings = Map.copyOf(settings);
  }

  /** Temporary, on a free port, default settings. */
  public static PostgresSpec ofVersion(int majorVersion) {
    return new PostgresSpec(majorVersion, false, null, OptionalInt.empty(), Map.of());
  }

  /**
   * As {@link #ofVersion}, PostgreSQL 15 or newer with PostGIS 3 at hand: {@code create extension
   * postgis} works. The first start on a system that has none installed fetches its packages.
   */
  public static PostgresSpec ofPostgis() {
    // Compiled queries would need a library of 100 MB that is not fetched.
    return new PostgresSpec(OLDEST, true, null, OptionalInt.empty(), Map.of("jit", "off"));
  }

  /** As {@link #ofVersion}, with the version named by the system property, 18 without it. */
  public static PostgresSpec fromSystemProperty() {
    return ofVersion(Integer.getInteger(VERSION_PROPERTY, NEWEST));
  }

  public PostgresSpec withDataDirectory(Path directory) {
    return new PostgresSpec(majorVersion, postgis, directory, port, settings);
  }

  public PostgresSpec withPort(int fixed) {
    return new PostgresSpec(majorVersion, postgis, dataDirectory, OptionalInt.of(fixed), settings);
  }

  public PostgresSpec withSettings(Map<String, String> all) {
    return new PostgresSpec(majorVersion, postgis, dataDirectory, port, all);
  }
}
