package io.millrace.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.OutboxMessage;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** Changes by writers who know nothing of Millrace, announced as an application's own are. */
@Tag("any-database")
class SpatialCaptureIT {
  private static final String BERLIN = "ST_SetSRID(ST_MakePoint(13.405, 52.525), 4326)";
  private static final String PARIS = "ST_SetSRID(ST_MakePoint(2.35, 48.86), 4326)";

  private static MapDatabase map;

  @BeforeAll
  static void start() {
    map = MapDatabase.start();
    map.admin("create role desktop login");
  }

  @AfterAll
  static void stop() {
    map.close();
  }

  private static String captured(String... settings) {
    String layer = map.layer("geometry", settings);
    map.app("select millrace_spatial.capture('" + layer + "')");
    return layer;
  }

  @Test
  void a_tool_that_knows_no_version_inserts_updates_and_deletes_and_all_is_announced() {
    String layer = captured();
    map.admin("grant usage on schema mapper to desktop");
    map.admin("grant select, insert, update, delete on mapper." + layer + " to desktop");
    for (String sql :
        List.of(
            "insert into mapper.%s (id, name, geom) values (1, 'a', " + BERLIN + ")",
            "update mapper.%s set name = 'b'",
            "update mapper.%s set geom = " + PARIS + ", version = 99",
            "delete from mapper.%s",
            "insert into mapper.%s (id, name, geom) values (1, 'c', " + PARIS + ")",
            "insert into mapper.%s (id, geom) values (1, null) on conflict (id) do update set name = 'd'",
            "update mapper.%s set id = 2")) {
      map.admin(
          "set session authorization desktop; "
              + sql.formatted(layer)
              + "; reset session authorization");
    }

    List<JsonObject> published = map.published(layer);

    assertThat(published.stream().map(p -> p.getString("feature_id") + " " + p.getString("action")))
        .containsExactly(
            "1 create",
            "1 edit",
            "1 move",
            "1 retire",
            "1 create",
            "1 edit",
            "1 retire",
            "2 create");
    assertThat(published.stream().map(p -> p.getLong("event_version")))
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 1L);
    assertThat(published.get(2).getString("left_cell")).isEqualTo("881f1d4891fffff");
    assertThat(published.get(7).getLong("geometry_version")).isEqualTo(1);
    assertThat(map.messages(layer).stream().map(OutboxMessage::revision))
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 1L);
    assertThat(map.resolve(map.messages(layer)).messages().stream().map(OutboxMessage::recordKey))
        .containsExactlyElementsOf(
            published.stream().map(p -> p.getString("routing_key")).toList());
  }

  /** The same random changes by an application and by a tool: the same events, cells and keys. */
  @Test
  void the_relay_computes_from_points_what_the_application_computes_from_geometries() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    String byTool = captured();
    String byApplication = map.layer("geometry");
    for (int id = 1; id <= 40; id++) {
      String first = shape(random);
      String second = random.nextInt(4) == 0 ? first : shape(random);
      map.create(byApplication, id, first);
      map.update(byApplication, id, second);
      map.app(
          "insert into mapper.%s (id, name, geom) values (%d, 'new', %s)"
              .formatted(byTool, id, first));
      map.app("update mapper.%s set geom = %s where id = %d".formatted(byTool, second, id));
      if (random.nextBoolean()) {
        map.retire(byApplication, id);
        map.app("delete from mapper.%s where id = %d".formatted(byTool, id));
      }
    }
    assertThat(events(byTool))
        .as("seed %d", seed)
        .isEqualTo(events(byApplication))
        .hasSizeGreaterThan(80);
  }

  private static List<String> events(String layer) {
    List<String> events = new ArrayList<>();
    for (OutboxMessage message : map.resolve(map.messages(layer)).messages()) {
      JsonObject json = MapDatabase.json(message);
      json.remove("layer");
      json.remove("occurred_at");
      events.add(message.recordKey() + " " + json.encode());
    }
    return events;
  }

  private static String shape(Random random) {
    double lon = random.nextDouble() * 360 - 180;
    double lat = random.nextDouble() * 170 - 85;
    return switch (random.nextInt(6)) {
      case 0 -> "null::geometry";
      case 5 ->
          String.format(
              Locale.ROOT,
              "ST_Translate('SRID=4326;POLYGON((0 0, 9 0, 9 1, 1 1, 1 9, 0 9, 0 0))'::geometry, %s, %s)",
              lon / 2,
              lat / 2);
      case 1 ->
          String.format(
              Locale.ROOT, "ST_Transform(ST_SetSRID(ST_MakePoint(%s, %s), 4326), 3857)", lon, lat);
      // About its own corner: about the origin a far envelope would turn to beyond the pole.
      case 2 ->
          String.format(
              Locale.ROOT,
              "ST_Rotate(ST_MakeEnvelope(%1$s, %2$s, %3$s, %4$s, 4326), 1, %1$s, %2$s)",
              lon / 2,
              lat / 2,
              lon / 2 + 3,
              lat / 2 + 3);
      default -> String.format(Locale.ROOT, "ST_SetSRID(ST_MakePoint(%s, %s), 4326)", lon, lat);
    };
  }

  @Test
  void a_bulk_import_is_announced_row_by_row_in_its_own_transaction() {
    String layer = captured();
    map.app(
        "insert into mapper.%s (id, geom) select n, ST_SetSRID(ST_MakePoint(n * 0.1, 50), 4326) from generate_series(1, 500) n"
            .formatted(layer));
    assertThatThrownBy(
            () ->
                map.app(
                    "insert into mapper.%s (id, geom) select n, null from generate_series(501, 600) n union all select 1, null"
                        .formatted(layer)))
        .hasMessageContaining("duplicate key");
    assertThat(map.messages(layer)).hasSize(500);
    assertThat(map.published(layer)).allMatch(p -> p.getString("routing_key").startsWith("88"));
  }

  @Test
  void a_copy_is_announced_row_by_row() throws Exception {
    String layer = captured();
    try (Connection connection = map.connect()) {
      new CopyManager(connection.unwrap(BaseConnection.class))
          .copyIn(
              "copy mapper." + layer + " (id, geom) from stdin",
              new StringReader("1\tSRID=4326;POINT(13.405 52.525)\n2\t\\N\n"));
    }
    assertThat(map.published(layer))
        .extracting(p -> p.getString("feature_id") + " " + p.getString("routing_key"))
        .containsExactly("1 881f1d4891fffff", "2 null");
  }

  @Test
  void a_feature_that_another_transaction_is_deleting_is_not_made_anew_with_an_old_version()
      throws Exception {
    String layer = captured();
    String insert = "insert into mapper.%s (id, geom) values (1, null)".formatted(layer);
    map.app(insert);
    map.app("update mapper." + layer + " set name = 'x'");
    Future<?> again;
    try (Connection deleting = map.connect();
        Statement statement = deleting.createStatement()) {
      deleting.setAutoCommit(false);
      statement.execute("delete from mapper." + layer);
      again = map.app.query(insert).execute();
      map.awaitBlocked();
      deleting.commit();
    }
    assertThatThrownBy(() -> MapDatabase.await(again))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("40001"))
        .hasMessageContaining("was retired meanwhile: repeat the change");
    map.app(insert);
    assertThat(map.messages(layer).stream().map(OutboxMessage::revision))
        .containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void a_move_is_announced_to_the_cell_that_was_left_too() {
    String layer = captured("announce_left => true");
    map.app("insert into mapper.%s (id, geom) values (1, %s)".formatted(layer, BERLIN));
    map.app("update mapper.%s set geom = %s".formatted(layer, PARIS));
    map.app("update mapper.%s set name = 'x'".formatted(layer));
    String paris = map.cells.of(2.35, 48.86, 8);
    assertThat(map.resolve(map.messages(layer)).messages().stream().map(OutboxMessage::recordKey))
        .containsExactly("881f1d4891fffff", paris, "881f1d4891fffff", paris);
  }

  @Test
  void with_the_feature_id_as_record_key_the_relay_sets_none() {
    String layer = captured("record_key => 'feature_id'");
    map.app("insert into mapper.%s (id, geom) values (1, %s)".formatted(layer, BERLIN));
    assertThat(map.resolve(map.messages(layer)).messages())
        .singleElement()
        .returns("1", OutboxMessage::recordKey);
  }

  @Test
  void a_geometry_without_a_reference_system_does_not_stop_the_tool_and_is_refused_by_the_relay() {
    String layer = captured();
    map.app("insert into mapper.%s (id, geom) values (1, ST_MakePoint(13, 52))".formatted(layer));
    assertThat(map.resolve(map.messages(layer)).hopeless().values())
        .singleElement()
        .asString()
        .contains("found SRID 0");
    map.app("update mapper.%s set geom = %s".formatted(layer, BERLIN));
    assertThat(map.published(layer).stream().map(p -> p.getString("action")))
        .containsExactly("create", "move");
  }

  @Test
  void what_a_capture_cannot_announce_or_would_announce_twice_is_refused() {
    String layer = captured();
    assertThatThrownBy(() -> map.app("truncate mapper." + layer))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("0A000"))
        .hasMessageContaining("TRUNCATE cannot be announced");
    assertThatThrownBy(() -> map.create(layer, 1, BERLIN))
        .hasMessageContaining("layer " + layer + " is captured");
    assertThatThrownBy(
            () ->
                map.admin(
                    "grant millrace_writer to desktop; set session authorization desktop; select millrace_spatial.capture('"
                        + layer
                        + "')"))
        .hasMessageContaining(
            "only the owner of mapper." + layer + " may capture it: mapper, found desktop");
  }

  @Test
  void a_released_layer_is_announced_no_more_and_can_be_captured_again() {
    String layer = captured();
    assertThat(
            map.app("select millrace_spatial.release_capture('" + layer + "')")
                .get(0)
                .getBoolean(0))
        .isTrue();
    assertThat(
            map.app("select millrace_spatial.release_capture('" + layer + "')")
                .get(0)
                .getBoolean(0))
        .isFalse();
    map.app("insert into mapper.%s (id, version, geom) values (1, 1, %s)".formatted(layer, BERLIN));
    assertThat(map.messages(layer)).isEmpty();
    map.app("select millrace_spatial.capture('" + layer + "')");
    map.app("select millrace_spatial.capture('" + layer + "')");
    map.app("update mapper." + layer + " set name = 'x'");
    assertThat(map.published(layer))
        .singleElement()
        .satisfies(p -> assertThat(p.getString("action")).isEqualTo("edit"))
        .satisfies(p -> assertThat(p.getLong("event_version")).isEqualTo(2));
  }

  @Test
  void a_partitioned_table_is_captured_with_its_partitions() {
    map.app(
        "create table mapper.parted (id bigint primary key, version bigint not null, geom geometry) partition by range (id)");
    map.app("create table mapper.parted_1 partition of mapper.parted for values from (0) to (100)");
    map.app("grant select on mapper.parted to millrace_layer");
    map.admin(
        "select millrace_spatial.register_layer('parted', 'mapper.parted', 'id', 'geom', 'version', 'parted')");
    map.app("select millrace_spatial.capture('parted')");
    map.app("insert into mapper.parted (id, geom) values (1, " + BERLIN + ")");
    map.app("update mapper.parted_1 set geom = " + PARIS);
    assertThat(map.published("parted").stream().map(p -> p.getString("action")))
        .containsExactly("create", "move");
    assertThatThrownBy(() -> map.app("truncate mapper.parted_1"))
        .hasMessageContaining("TRUNCATE cannot be announced");
    map.app("select millrace_spatial.release_capture('parted')");
    map.app("truncate mapper.parted");
  }
}
