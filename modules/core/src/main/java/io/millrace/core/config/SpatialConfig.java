package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code spatial}: features of PostGIS as aggregates. Each component's unit, limits and
 * harm stand with its key.
 */
public record SpatialConfig(boolean enabled, int coordinateDigits, int payloadBytesMax) {

  /**
   * Whether migrate lays the schema millrace_spatial, which needs the extension postgis, and nodes
   * fill messages of features. Off in one node of several, that node parks what it meets.
   */
  public static final BooleanKey ENABLED = new BooleanKey("spatial.enabled", false);

  /**
   * Decimal digits of coordinates, in degrees: 7 are a centimetre. Fewer make payloads smaller and
   * shapes coarser.
   */
  public static final IntKey COORDINATE_DIGITS =
      new IntKey("spatial.coordinate_digits", 9, 1, 15, "digits");

  /**
   * Largest payload of a filled message; a feature that needs more is parked. Above what the topics
   * accept the broker refuses it instead. A batch of the relay may hold as many of them as it has
   * rows.
   */
  public static final IntKey PAYLOAD_BYTES_MAX =
      new IntKey("spatial.payload_bytes_max", 900_000, 1_000, 64_000_000, "bytes");

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public SpatialConfig {
    new Problems()
        .check(ENABLED, enabled)
        .check(COORDINATE_DIGITS, coordinateDigits)
        .check(PAYLOAD_BYTES_MAX, payloadBytesMax)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static SpatialConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static SpatialConfig read(ConfigReader reader) {
    return new SpatialConfig(
        reader.read(ENABLED), reader.read(COORDINATE_DIGITS), reader.read(PAYLOAD_BYTES_MAX));
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    COORDINATE_DIGITS.printTo(target, coordinateDigits);
    PAYLOAD_BYTES_MAX.printTo(target, payloadBytesMax);
  }
}
