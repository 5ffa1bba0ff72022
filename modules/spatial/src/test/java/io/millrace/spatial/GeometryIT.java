package io.millrace.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.core.message.OutboxMessage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shapes that lie badly on a plane: the point that has the cell, and what is sent. */
@Tag("any-database")
class GeometryIT {
  private static MapDatabase map;
  private static String layer;
  private static long lastId;

  @BeforeAll
  static void start() {
    map = MapDatabase.start();
    layer = map.layer("geometry");
  }

  @AfterAll
  static void stop() {
    map.close();
  }

  /** In PostGIS longitude comes first, in H3's API latitude does. */
  @Test
  void longitude_and_latitude_are_not_mixed_up() {
    assertThat(cellOf("ST_SetSRID(ST_MakePoint(13.405, 52.525), 4326)"))
        .isEqualTo("881f1d4891fffff");
    assertThatThrownBy(() -> cellOf("ST_SetSRID(ST_MakePoint(52.525, 113.405), 4326)"))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("22023"))
        .hasMessageContaining("latitude must be between -90 and 90 degrees, found 113.405")
        .hasMessageContaining("longitude comes first in PostGIS");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // across the antimeridian: as one ring, as two parts, with longitudes beyond 180, unequal
        "POLYGON((179 10, -179 10, -179 12, 179 12, 179 10)); -180; 11",
        "MULTIPOLYGON(((179 10, 180 10, 180 12, 179 12, 179 10)), ((-180 10, -179 10, -179 12, -180 12, -180 10))); -180; 11",
        "POLYGON((179 10, 181 10, 181 12, 179 12, 179 10)); -180; 11",
        "POLYGON((170 10, -179 10, -179 12, 170 12, 170 10)); 175.5; 11",
        "POLYGON((179 10, -170 10, -170 12, 179 12, 179 10)); -175.5; 11",
        "LINESTRING(179 0, -177 0); -179; 0",
        "MULTIPOINT((-179 0), (177 0)); 179; 0",
        // a pole inside: a ring round it, and a band that reaches it
        "POLYGON((0 80, 90 80, 180 80, -90 80, 0 80)); 0; 90",
        "POLYGON((0 -80, -90 -80, 180 -80, 90 -80, 0 -80)); 0; -90",
        "POLYGON((-180 60, 180 60, 180 90, -180 90, -180 60)); 0; 90",
        "POLYGON((-180 -60, -180 -90, 0 -90, 180 -90, 180 -60, 0 -60, -180 -60)); 0; -90",
        // round the earth and no pole; wide and not round
        "POLYGON((-180 -10, 180 -10, 180 10, -180 10, -180 -10)); 0; 0",
        "POLYGON((-100 0, 0 0, 100 0, 100 10, 0 10, -100 10, -100 0)); 0; 5",
        // at the edges of the system
        "POINT(180 0); -180; 0",
        "POINT(-180 0); -180; 0",
        "POINT(540 10); -180; 10",
        "POINT(25 90); 25; 90",
        "POINT(0 -90); 0; -90",
        // lines, rings that cross themselves, spikes, nothing but a point
        "LINESTRING(10 50, 12 50); 11; 50",
        "POLYGON((10 50, 12 52, 12 50, 10 52, 10 50)); 11; 51",
        "POLYGON((10 50, 10 50, 10 50, 10 50)); 10; 50",
        "LINESTRING(10 50, 10 50); 10; 50",
        "GEOMETRYCOLLECTION(POINT(10 50), POINT(12 50)); 11; 50",
        // heights and measures
        "POINT Z(10 50 4000); 10; 50",
        "POINT M(10 50 7); 10; 50",
        "POLYGON ZM((10 50 1 2, 12 50 1 2, 12 52 9 9, 10 52 1 2, 10 50 1 2)); 11; 51",
        "CURVEPOLYGON(CIRCULARSTRING(10 50, 12 50, 10 50)); 11; 50",
      })
  void a_shape_has_the_cell_of_its_centroid_as_it_lies_on_the_earth(
      String text, double lon, double lat) {
    assertThat(cellOf("ST_GeomFromText('" + text + "', 4326)"))
        .as("in %s", text)
        .isEqualTo(map.cells.of(lon, lat, MapDatabase.RESOLUTION));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // EPSG of a zone, a national grid, polar and web systems
        "32633; 13.405; 52.525",
        "25833; 13.405; 52.525",
        "27700; -0.1276; 51.5072",
        "3857; 13.405; 52.525",
        "4258; 13.405; 52.525",
        "3413; -45; 90",
        "3031; 30; -89.9",
      })
  void a_shape_of_another_reference_system_has_the_cell_of_where_it_lies(
      int srid, double lon, double lat) {
    String point =
        "ST_Transform(ST_SetSRID(ST_MakePoint(%s, %s), 4326), %d)".formatted(lon, lat, srid);
    assertThat(cellOf(point)).isEqualTo(map.cells.of(lon, lat, MapDatabase.RESOLUTION));
    JsonArray coordinates = published().getJsonObject("geometry").getJsonArray("coordinates");
    if (Math.abs(lat) < 90) {
      assertThat(coordinates.getDouble(0)).isCloseTo(lon, within(1e-6));
    }
    assertThat(coordinates.getDouble(1)).isCloseTo(lat, within(1e-6));
  }

  @Test
  void a_shape_round_the_pole_of_a_polar_system_is_at_the_pole() {
    String square = "ST_MakeEnvelope(-500000, -500000, 500000, 500000, 3413)";
    assertThat(cellOf(square)).isEqualTo(map.cells.of(0, 90, MapDatabase.RESOLUTION));
  }

  @Test
  void a_web_mercator_shape_across_the_antimeridian_is_where_it_lies() {
    String shape =
        "ST_Transform(ST_GeomFromText('POLYGON((179 10, -177 10, -177 12, 179 12, 179 10))', 4326), 3857)";
    assertThat(cellOf(shape)).isEqualTo(map.cells.of(-179, 11, MapDatabase.RESOLUTION));
  }

  @Test
  void a_crescent_and_scattered_parts_may_have_the_cell_of_a_point_that_lies_in_them() {
    String surface = map.layer("geometry", "origin => 'point_on_surface'");
    for (String text :
        List.of(
            "POLYGON((0 0, 10 0, 10 10, 0 10, 0 9, 9 9, 9 1, 0 1, 0 0))",
            "MULTIPOLYGON(((0 0, 1 0, 1 1, 0 1, 0 0)), ((20 20, 22 20, 22 22, 20 22, 20 20)))",
            "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0), (1 1, 9 1, 9 9, 1 9, 1 1))")) {
      String shape = "ST_GeomFromText('" + text + "', 4326)";
      double[] lonLat = pointOf(shape);
      assertThat(isInside(shape, lonLat)).as("the point on the surface of %s", text).isTrue();
      assertThat(isInside(shape, centroidOf(shape))).as("its centroid").isFalse();
      assertThat(map.create(surface, ++lastId, shape).routingKey())
          .isEqualTo(map.cells.of(lonLat[0], lonLat[1], MapDatabase.RESOLUTION));
      assertThat(cellOf(shape)).isNotEqualTo(map.cells.of(lonLat[0], lonLat[1], 8));
    }
  }

  private static double[] pointOf(String shape) {
    Double[] found =
        map.admin("select millrace_spatial.origin(%s, 'point_on_surface')".formatted(shape))
            .get(0)
            .getArrayOfDoubles(0);
    return new double[] {found[0], found[1]};
  }

  private static double[] centroidOf(String shape) {
    Double[] found =
        map.admin("select millrace_spatial.origin(%s, 'centroid')".formatted(shape))
            .get(0)
            .getArrayOfDoubles(0);
    return new double[] {found[0], found[1]};
  }

  private static boolean isInside(String shape, double[] lonLat) {
    return map.admin(
            "select ST_Intersects(%s, ST_SetSRID(ST_MakePoint(%s, %s), 4326))"
                .formatted(shape, lonLat[0], lonLat[1]))
        .get(0)
        .getBoolean(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "ST_GeomFromText('POLYGON EMPTY', 4326)",
        "ST_GeomFromText('POINT EMPTY', 4326)",
        "ST_GeomFromText('GEOMETRYCOLLECTION EMPTY', 4326)"
      })
  void without_a_shape_there_is_no_cell_and_the_record_key_is_the_feature_id(String nothing) {
    assertThat(map.create(layer, ++lastId, nothing))
        .returns(null, Features.Change::routingKey)
        .returns(FeatureAction.CREATE, Features.Change::action);
    assertThat(last()).returns(Long.toString(lastId), OutboxMessage::recordKey);
    assertThat(published().getValue("geometry")).isNull();
    assertThat(published().getValue("routing_key")).isNull();

    assertThat(map.update(layer, lastId, "ST_SetSRID(ST_MakePoint(1, 2), 4326)"))
        .as("its first geometry")
        .returns(FeatureAction.MOVE, Features.Change::action)
        .returns(null, Features.Change::leftCell);
    assertThat(map.update(layer, lastId, nothing))
        .as("its last geometry is gone")
        .returns(FeatureAction.MOVE, Features.Change::action)
        .returns(map.cells.of(1, 2, 8), Features.Change::leftCell)
        .returns(null, Features.Change::routingKey);
  }

  @Test
  void a_geometry_without_a_reference_system_is_refused_when_it_is_written() {
    assertThatThrownBy(() -> cellOf("ST_MakePoint(13, 52)"))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("22023"))
        .hasMessageContaining("geometry must have a reference system, found SRID 0");
  }

  @Test
  void a_multipolygon_of_100_000_vertices_has_its_cell_and_is_sent_whole() {
    map.create(layer, ++lastId, HugeShape.ofVertices(100_000));
    OutboxMessage message = last();
    FeatureResolver.Limits large = new FeatureResolver.Limits(6, 16_000_000, 60_000);
    OutboxMessage filled =
        MapDatabase.await(
                new FeatureResolver(map.relay, map.cells, large).resolve(List.of(message)))
            .messages()
            .get(0);
    JsonArray squares =
        MapDatabase.json(filled).getJsonObject("geometry").getJsonArray("coordinates");
    assertThat(squares).hasSize(142 * 142);
    assertThat(message.payload().size()).isLessThan(250);
    assertThat(message.messageKey()).isEqualTo(map.cells.of(10.07075, 50.07075, 8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "POINT Z(10 50 4000); {\"type\":\"Point\",\"coordinates\":[10,50,4000]}",
        "POINT M(10 50 7); {\"type\":\"Point\",\"coordinates\":[10,50]}",
        "POINT ZM(10 50 4000 7); {\"type\":\"Point\",\"coordinates\":[10,50,4000]}",
        "POLYGON((179 10, -179 10, -179 12, 179 10)); {\"type\":\"Polygon\",\"coordinates\":[[[179,10],[-179,10],[-179,12],[179,10]]]}",
        "POLYGON((10 50, 12 52, 12 50, 10 52, 10 50)); {\"type\":\"Polygon\",\"coordinates\":[[[10,50],[12,52],[12,50],[10,52],[10,50]]]}",
        "POINT(13.123456789012 50); {\"type\":\"Point\",\"coordinates\":[13.123456789,50]}",
      })
  void what_is_sent_is_the_shape_as_it_is_stored_in_degrees(String text, String geoJson) {
    map.create(layer, ++lastId, "ST_GeomFromText('" + text + "', 4326)");
    assertThat(published().getJsonObject("geometry").encode()).isEqualTo(geoJson);
  }

  @ParameterizedTest
  @CsvSource({"0", "5", "8", "15"})
  void the_resolution_is_the_layers(int resolution) {
    String own = map.layer("geometry", "resolution => " + resolution);
    assertThat(map.create(own, 1, "ST_SetSRID(ST_MakePoint(13.405, 52.525), 4326)").routingKey())
        .isEqualTo(map.cells.of(13.405, 52.525, resolution))
        .satisfies(
            cell -> assertThat(Integer.parseInt(cell.substring(1, 2), 16)).isEqualTo(resolution));
  }

  private static String cellOf(String geometry) {
    return map.create(layer, ++lastId, geometry).routingKey();
  }

  private static OutboxMessage last() {
    List<OutboxMessage> messages = map.messages(layer);
    return messages.get(messages.size() - 1);
  }

  private static JsonObject published() {
    return MapDatabase.json(map.resolve(List.of(last())).messages().get(0));
  }
}
