package io.millrace.spatial;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/**
 * What a feature is now.
 *
 * @param version of its row
 * @param srid of its geometry as it is stored; null: it has none
 * @param geometry as GeoJSON in EPSG:4326; null: it has none, or an empty one
 * @param properties as a JSON object; null: none are sent
 */
record FeatureState(
    long version, @Nullable Integer srid, @Nullable String geometry, @Nullable String properties) {

  static FeatureState of(Row row) {
    return new FeatureState(
        row.getLong("version"),
        row.getInteger("srid"),
        row.getString("geometry"),
        row.getString("properties"));
  }
}
