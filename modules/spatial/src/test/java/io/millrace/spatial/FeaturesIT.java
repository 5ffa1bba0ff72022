package io.millrace.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.Appended;
import io.millrace.core.message.OutboxMessage;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A feature and its message in one transaction, and what the message holds when it is published.
 */
@Tag("any-database")
class FeaturesIT {
  /** H3's own example: 52.525 north, 13.405 east, at resolution 8. */
  private static final String BERLIN = "ST_SetSRID(ST_MakePoint(13.405, 52.525), 4326)";

  private static final String BERLIN_CELL = "881f1d4891fffff";

  private static final String PARIS = "ST_SetSRID(ST_MakePoint(2.35, 48.86), 4326)";
  private static MapDatabase map;
  private static String parisCell;

  @BeforeAll
  static void start() {
    map = MapDatabase.start();
    parisCell = map.cells.of(2.35, 48.86, 8);
  }

  @AfterAll
  static void stop() {
    map.close();
  }

  @Test
  void a_feature_is_created_edited_moved_and_retired_and_every_change_is_announced() {
    String layer = map.layer("geometry(Point, 4326)");

    assertThat(map.create(layer, 1, BERLIN))
        .returns(FeatureAction.CREATE, Features.Change::action)
        .returns(1L, Features.Change::version)
        .returns(BERLIN_CELL, Features.Change::routingKey)
        .returns(null, Features.Change::leftCell);
    assertThat(map.update(layer, 1, "geom").action()).isEqualTo(FeatureAction.EDIT);
    assertThat(map.update(layer, 1, PARIS))
        .returns(FeatureAction.MOVE, Features.Change::action)
        .returns(parisCell, Features.Change::routingKey)
        .returns(BERLIN_CELL, Features.Change::leftCell);
    assertThat(map.retire(layer, 1))
        .returns(FeatureAction.RETIRE, Features.Change::action)
        .returns(4L, Features.Change::version)
        .returns(parisCell, Features.Change::routingKey);

    List<OutboxMessage> messages = map.messages(layer);
    assertThat(messages.stream().map(OutboxMessage::eventType))
        .containsExactly(layer + ".create", layer + ".edit", layer + ".move", layer + ".retire");
    assertThat(messages.stream().map(OutboxMessage::revision)).containsExactly(1L, 2L, 3L, 4L);
    assertThat(messages.stream().map(OutboxMessage::messageKey))
        .containsExactly(BERLIN_CELL, BERLIN_CELL, parisCell, parisCell);
  }

  @Test
  void a_payload_tells_the_event_beside_the_state_of_now() {
    String layer = map.layer("geometry(Point, 25833)");
    map.create(layer, 7, "ST_Transform(" + BERLIN + ", 25833)");
    map.update(layer, 7, "ST_Transform(" + PARIS + ", 25833)");

    List<JsonObject> published = map.published(layer);

    OutboxMessage first = map.messages(layer).get(0);
    JsonObject create = published.get(0);
    assertThat(create.fieldNames())
        .containsExactly(
            "type",
            "id",
            "feature_id",
            "layer",
            "action",
            "event_version",
            "geometry_version",
            "routing_key",
            "left_cell",
            "crs",
            "stored_srid",
            "schema_version",
            "occurred_at",
            "properties",
            "geometry");
    assertThat(create.getString("type")).isEqualTo("Feature");
    assertThat(create.getString("feature_id")).isEqualTo("7");
    assertThat(create.getString("action")).isEqualTo("create");
    assertThat(create.getLong("event_version")).isEqualTo(1);
    assertThat(create.getLong("geometry_version")).isEqualTo(2);
    assertThat(create.getString("routing_key")).isEqualTo(BERLIN_CELL);
    assertThat(create.getString("crs")).isEqualTo("EPSG:4326");
    assertThat(create.getInteger("stored_srid")).isEqualTo(25833);
    assertThat(create.getString("schema_version")).isEqualTo("6");
    assertThat(Instant.parse(create.getString("occurred_at")))
        .isBeforeOrEqualTo(first.createdAt())
        .isAfter(first.createdAt().minusSeconds(10));
    assertThat(create.getJsonObject("properties").getMap()).isEqualTo(Map.of("name", "new"));
    assertThat(create.getJsonObject("geometry").encode())
        .isEqualTo("{\"type\":\"Point\",\"coordinates\":[2.35,48.86]}");
    assertThat(published.get(1).getString("left_cell")).isEqualTo(BERLIN_CELL);
    assertThat(map.resolve(List.of(first)).messages())
        .singleElement()
        .returns(null, OutboxMessage::resolver)
        .returns(BERLIN_CELL, OutboxMessage::messageKey)
        .returns(FeatureResolver.GEO_JSON, OutboxMessage::contentType);
  }

  @Test
  void a_feature_that_is_gone_is_announced_without_a_geometry_and_counts_on_when_it_comes_back() {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, BERLIN);
    map.retire(layer, 1);

    assertThat(map.published(layer))
        .hasSize(2)
        .allSatisfy(
            feature -> {
              assertThat(feature.containsKey("geometry")).isTrue();
              assertThat(feature.getValue("geometry")).isNull();
              assertThat(feature.getValue("properties")).isNull();
              assertThat(feature.getValue("geometry_version")).isNull();
            });

    assertThat(map.create(layer, 1, PARIS))
        .returns(FeatureAction.CREATE, Features.Change::action)
        .returns(3L, Features.Change::version);
    assertThat(map.published(layer).get(0).getLong("geometry_version")).isEqualTo(3);
  }

  @Test
  void a_move_can_be_announced_to_the_cell_that_was_left_too() {
    String layer = map.layer("geometry(Point, 4326)", "announce_left => true");
    map.create(layer, 1, BERLIN);
    assertThat(map.update(layer, 1, PARIS).appended()).hasSize(2);
    assertThat(map.update(layer, 1, "geom").appended()).hasSize(1);

    List<OutboxMessage> messages = map.messages(layer);
    assertThat(messages.stream().map(OutboxMessage::messageKey))
        .containsExactly(BERLIN_CELL, parisCell, BERLIN_CELL, parisCell);
    assertThat(messages.stream().map(OutboxMessage::revision)).containsExactly(1L, 2L, 2L, 3L);
    assertThat(messages.stream().map(OutboxMessage::messageId).distinct()).hasSize(4);
    assertThat(map.published(layer).get(2).getString("left_cell")).isEqualTo(BERLIN_CELL);
  }

  @Test
  void with_the_feature_id_as_record_key_no_message_has_a_key_of_its_own() {
    String layer = map.layer("geometry(Point, 4326)", "record_key => 'feature_id'");
    map.create(layer, 1, BERLIN);
    assertThat(map.messages(layer))
        .singleElement()
        .returns("1", OutboxMessage::recordKey)
        .returns(null, OutboxMessage::messageKey);
    assertThat(map.published(layer).get(0).getString("routing_key")).isEqualTo(BERLIN_CELL);
  }

  @Test
  void a_row_without_the_version_that_was_handed_out_is_refused_and_nothing_is_announced() {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, BERLIN);
    assertThatThrownBy(
            () ->
                map.change(
                    layer,
                    1,
                    "update mapper." + layer + " set name = 'x' where id = $2 and $1 > 0"))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("22023"))
        .hasMessageContaining(
            "feature 1 of layer " + layer + " must have version = 2 after the change, found 1");
    assertThatThrownBy(() -> map.retire(layer, 2)).hasMessageContaining("found no such row");
    assertThatThrownBy(() -> map.retire("nowhere", 2)).hasMessageContaining("no layer 'nowhere'");
    assertThat(map.messages(layer)).hasSize(1);
  }

  @Test
  void an_id_has_one_spelling() {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 7, BERLIN);
    assertThatThrownBy(
            () ->
                MapDatabase.await(
                    map.app.withTransaction(
                        c ->
                            map.features.change(
                                c,
                                layer,
                                "007",
                                (connection, version) ->
                                    connection
                                        .preparedQuery(
                                            "update mapper."
                                                + layer
                                                + " set version = $1 where id = 7")
                                        .execute(Tuple.of(version))))))
        .hasMessageContaining("feature 007 of layer " + layer);
  }

  @Test
  void two_writers_of_a_feature_take_turns() {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, BERLIN);
    List<Future<Features.Change<List<Appended>>>> changes =
        IntStream.range(0, 20)
            .mapToObj(
                i ->
                    map.app.withTransaction(
                        c ->
                            map.features.change(
                                c,
                                layer,
                                "1",
                                (connection, version) ->
                                    connection
                                        .preparedQuery(
                                            "update mapper." + layer + " set version = $1")
                                        .execute(Tuple.of(version)))))
            .toList();
    MapDatabase.await(Future.join(changes));
    assertThat(map.messages(layer).stream().map(OutboxMessage::revision))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 21).boxed().toList());
  }

  @Test
  void a_feature_that_another_transaction_is_retiring_comes_back_with_a_greater_version()
      throws Exception {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, BERLIN);
    map.update(layer, 1, "geom");
    Future<Features.Change<List<Appended>>> back;
    try (Connection retiring = map.connect();
        Statement statement = retiring.createStatement()) {
      retiring.setAutoCommit(false);
      statement.execute("select * from millrace_spatial.lock_feature('" + layer + "', '1')");
      statement.execute("delete from mapper." + layer);
      statement.execute(
          "select * from millrace_spatial.settle_feature('" + layer + "', '1', 3, true)");
      back =
          map.app.withTransaction(
              c ->
                  map.features.change(
                      c,
                      layer,
                      "1",
                      (connection, version) ->
                          connection
                              .preparedQuery(
                                  "insert into mapper." + layer + " (id, version) values (1, $1)")
                              .execute(Tuple.of(version))));
      map.awaitBlocked();
      retiring.commit();
    }
    assertThat(MapDatabase.await(back).version()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into millrace_spatial.layer (name) values ('x')",
        "update millrace_spatial.layer set topic = 'x'",
        "delete from millrace_spatial.retired",
        "select millrace_spatial.register_layer('x', 'mapper.x', 'id', 'geom', 'version', 'x')",
        "select millrace_spatial.forget_layer('x')",
        "select * from millrace_spatial.resolve_features('x', '{}', 1, 1)",
        "select millrace_spatial.geojson(null, 1)",
        "set role millrace_layer",
      })
  void what_is_none_of_a_writers_business_is_forbidden(String statement) {
    map.app("create table if not exists mapper.x (id int)");
    assertThatThrownBy(() -> map.app(statement))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("42501"));
  }
}
