package io.millrace.spatial;

import org.jspecify.annotations.Nullable;

/**
 * The point that stands for a geometry.
 *
 * @param lon degrees of EPSG:4326, -180 to 180
 * @param lat degrees of EPSG:4326, -90 to 90
 */
record Origin(double lon, double lat) {

  /** Null when there is none. */
  static @Nullable Origin of(@Nullable Double lon, @Nullable Double lat) {
    return lon == null || lat == null ? null : new Origin(lon, lat);
  }
}
