package io.millrace.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.port.Resolver.Resolved;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be read is refused by itself, and geometries stay where they are. */
@Tag("any-database")
class FeatureResolverIT {
  private static final String POINT = "ST_SetSRID(ST_MakePoint(13.405, 52.525), 4326)";

  private static MapDatabase map;

  @BeforeAll
  static void start() {
    map = MapDatabase.start();
  }

  @AfterAll
  static void stop() {
    map.close();
  }

  @Test
  void one_query_reads_all_features_of_a_layer() {
    map.admin("create extension if not exists pg_stat_statements");
    List<OutboxMessage> messages = new ArrayList<>();
    for (String layer : List.of(map.layer("geometry"), map.layer("geometry"))) {
      for (int i = 1; i <= 20; i++) {
        map.create(layer, i, POINT);
      }
      messages.addAll(map.messages(layer));
    }
    map.admin("select pg_stat_statements_reset()");

    Resolved resolved = map.resolve(messages);

    assertThat(resolved.hopeless()).isEmpty();
    assertThat(resolved.messages().stream().map(OutboxMessage::id))
        .containsExactlyElementsOf(messages.stream().map(OutboxMessage::id).toList());
    assertThat(
            map.admin(
                    "select sum(calls)::int from pg_stat_statements where query like '%resolve_features(%'")
                .get(0)
                .getInteger(0))
        .isEqualTo(2);
  }

  @Test
  void one_bad_geometry_is_refused_and_all_others_are_filled() {
    String layer = map.layer("geometry");
    for (int i = 1; i <= 9; i++) {
      map.create(layer, i, POINT);
    }
    map.app("update mapper." + layer + " set geom = ST_SetSRID(geom, 0) where id = 4");
    // Of a reference system that is in no list any more.
    map.admin(
        "insert into spatial_ref_sys (srid, proj4text, srtext) values (990001, '+proj=nothing', '')");
    map.app("update mapper." + layer + " set geom = ST_SetSRID(geom, 990001) where id = 8");
    map.app(
        "update mapper."
            + layer
            + " set geom = ST_GeomFromText('TIN(((0 0 0, 0 0 1, 0 1 0, 0 0 0)))', 4326) where id = 9");
    List<OutboxMessage> messages = map.messages(layer);

    Resolved resolved = map.resolve(messages);

    assertThat(resolved.hopeless()).containsOnlyKeys(messages.get(3).id(), messages.get(7).id());
    assertThat(resolved.hopeless().get(messages.get(3).id()))
        .isEqualTo(
            "feature 4 of layer "
                + layer
                + ": geometry must have a reference system, found SRID 0 (22023)");
    assertThat(resolved.hopeless().get(messages.get(7).id())).contains("feature 8 of layer");
    assertThat(resolved.messages()).hasSize(7);
  }

  @Test
  void a_layer_that_cannot_be_read_refuses_its_messages_and_no_others() {
    String good = map.layer("geometry(Point, 4326)");
    map.create(good, 1, POINT);
    List<OutboxMessage> all = new ArrayList<>(map.messages(good));
    String dropped = filled("drop table mapper.%s", all);
    String renamed = filled("alter table mapper.%s rename column geom to shape", all);
    String denied = filled("revoke select on mapper.%s from millrace_layer", all);
    String hidden = filled("alter table mapper.%s enable row level security", all);
    String forgotten = filled(null, all);
    map.admin("select millrace_spatial.forget_layer('" + forgotten + "')");

    Resolved resolved = map.resolve(all);

    assertThat(resolved.messages()).singleElement().returns(good, OutboxMessage::topic);
    assertThat(resolved.hopeless().values())
        .hasSize(5)
        .anyMatch(
            reason ->
                reason.equals(
                    "layer %s: the table of layer %1$s is gone (42P01)".formatted(dropped)))
        .anyMatch(reason -> reason.contains(renamed) && reason.endsWith("(42703)"))
        .anyMatch(reason -> reason.contains(denied) && reason.endsWith("(42501)"))
        .anyMatch(reason -> reason.contains(hidden) && reason.contains("row-level security"))
        .anyMatch(reason -> reason.contains("there is no layer '" + forgotten + "' (42704)"));
  }

  private static String filled(String act, List<OutboxMessage> all) {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, POINT);
    all.addAll(map.messages(layer));
    if (act != null) {
      map.app(act.formatted(layer));
    }
    return layer;
  }

  @Test
  void a_table_of_the_same_name_that_was_made_later_is_not_taken_for_the_layers() {
    List<OutboxMessage> all = new ArrayList<>();
    String layer = filled("drop table mapper.%s", all);
    map.app(
        "create view mapper."
            + layer
            + " as select 1 as id, 1::bigint as version, null::geometry as geom");
    map.app("grant select on mapper." + layer + " to millrace_layer");
    assertThat(map.resolve(all).hopeless().values()).singleElement().asString().contains("is gone");
  }

  @Test
  void what_no_writer_of_features_wrote_is_refused() {
    String layer = map.layer("geometry(Point, 4326)");
    map.app(
        "select millrace.append('%1$s', '%1$s', '1', 'x', payload, resolver => 'spatial') from (values (null::bytea), ('\\x00'), ('{}'), ('{\"layer\":\"%1$s\",\"action\":\"fly\",\"event_version\":1,\"occurred_at\":\"x\"}')) v(payload)"
            .formatted(layer));
    List<OutboxMessage> messages = map.messages(layer).stream().toList();
    assertThat(map.resolve(messages).hopeless()).hasSize(4);
  }

  @Test
  void a_feature_that_is_too_large_is_refused_with_the_limit_before_it_leaves_the_database() {
    String layer = map.layer("geometry");
    map.create(layer, 1, POINT);
    map.create(layer, 2, HugeShape.ofVertices(100_000));
    Resolved resolved = map.resolve(map.messages(layer));
    assertThat(resolved.messages()).hasSize(1);
    assertThat(resolved.hopeless().values())
        .singleElement()
        .asString()
        .matches("feature 2 needs \\d{7} bytes as GeoJSON, spatial.payload_bytes_max is 900000");
  }

  @Test
  void a_database_that_is_away_is_waited_for() {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, POINT);
    List<OutboxMessage> messages = map.messages(layer);
    map.admin("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'node'");
    map.server().stop();
    try {
      assertThatThrownBy(() -> map.resolve(messages))
          .isInstanceOfSatisfying(
              Failure.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.TRANSIENT));
    } finally {
      map.server().restart();
    }
    assertThat(map.resolve(messages).messages()).hasSize(1);
  }

  @Test
  void no_geometry_is_in_any_table_of_millrace_nor_in_any_message() {
    assertThat(
            map.admin(
                "select a.attrelid::regclass, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid"
                    + " where c.relnamespace in ('millrace'::regnamespace, 'millrace_spatial'::regnamespace)"
                    + " and a.attnum > 0 and millrace.capture_is_geometry(a.atttypid)"))
        .isEmpty();
    String layer = map.layer("geometry", "announce_left => true");
    map.create(layer, 1, HugeShape.ofVertices(1_000));
    map.update(layer, 1, "ST_Translate(geom, 30, 0)");
    map.retire(layer, 1);
    assertThat(map.messages(layer))
        .hasSize(4)
        .allSatisfy(
            message -> {
              assertThat(message.payload().size()).isLessThan(250);
              assertThat(MapDatabase.json(message).fieldNames())
                  .containsExactlyInAnyOrderElementsOf(
                      Set.of(
                          "layer",
                          "action",
                          "event_version",
                          "routing_key",
                          "left_cell",
                          "occurred_at"));
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "resolution => 16; resolution must be 0 to 15, found 16",
        "origin => 'middle'; origin must be centroid or point_on_surface, found 'middle'",
        "record_key => 'x'; record_key must be routing_key or feature_id, found 'x'",
        "record_key => 'feature_id', announce_left => true; announce_left needs the record_key routing_key",
        "aggregate_type => ''; aggregate_type must have 1 to 190 characters, found 0",
      })
  void a_layer_with_a_bad_setting_is_refused_by_name(String settingAndText) {
    String[] parts = settingAndText.split("; ");
    assertThatThrownBy(() -> map.layer("geometry", parts[0]))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("22023"))
        .hasMessageContaining("millrace_spatial.register_layer: " + parts[1]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create table mapper.%s (id bigint, version bigint not null, geom geometry); id_column must be unique",
        "create table mapper.%s (id bigint primary key, version int not null, geom geometry); version_column must name a bigint column that is not null of",
        "create table mapper.%s (id bigint primary key, version bigint, geom geometry); version_column must name a bigint column that is not null of",
        "create table mapper.%s (id bigint primary key, version bigint not null, geom text); geometry_column must name a column of type geometry",
        "create table mapper.%s (id date primary key, version bigint not null, geom geometry); id_column must name a column of an integer type",
        "create view mapper.%s as select 1 as id; source must be a table",
        "create unlogged table mapper.%s (id bigint primary key, version bigint not null, geom geometry); source must survive a crash",
      })
  void a_table_that_is_no_layer_is_refused_by_name(String statementAndText) {
    String[] parts = statementAndText.split("; ");
    String table = "bad_" + System.nanoTime();
    map.app(parts[0].formatted(table));
    map.app("grant select on mapper." + table + " to millrace_layer");
    assertThatThrownBy(() -> register(table)).hasMessageContaining(parts[1]);
  }

  @Test
  void a_table_whose_owner_has_not_granted_it_is_refused() {
    map.app(
        "create table mapper.private (id bigint primary key, version bigint not null, geom geometry)");
    assertThatThrownBy(() -> register("private"))
        .hasMessageContaining(
            "grant usage on schema mapper and select on mapper.private to millrace_layer");
  }

  private static void register(String table) {
    map.admin(
        "select millrace_spatial.register_layer('%1$s', 'mapper.%1$s', 'id', 'geom', 'version', 't')"
            .formatted(table));
  }

  @Test
  void a_migrator_that_is_no_superuser_lays_it_where_postgis_is_there() {
    map.admin("create role manager login createrole");
    map.server().createDatabase("managed");
    map.admin("alter database managed owner to manager");
    String url = map.server().jdbcUrl("managed");
    map.in("managed", "create extension postgis");
    new SchemaMigration(
            new SchemaMigration.Login(
                map.server().host(), map.server().port(), "managed", "manager", "", "disable"),
            new SchemaMigration.Layout(4, 100_000, 3, 86_400_000, 3 * 86_400_000L, 3))
        .migrate();
    SpatialMigration migration =
        new SpatialMigration(new SpatialMigration.Login(url, "manager", ""));
    assertThat(migration.migrate()).isPositive();
    assertThat(
            map.in(
                    "managed",
                    "select proowner::regrole::text from pg_proc where proname = 'resolve_features'")
                .get(0)
                .getString(0))
        .isEqualTo("millrace_layer");
    assertThat(
            map.in(
                    "managed",
                    "select has_schema_privilege('millrace_layer', 'millrace_spatial', 'create')")
                .get(0)
                .getBoolean(0))
        .isFalse();
  }

  @Test
  void a_node_whose_database_has_no_layers_says_what_to_do() {
    FeatureResolver here = new FeatureResolver(map.relay, map.cells, MapDatabase.LIMITS);
    assertThat(MapDatabase.await(here.problem())).isEmpty();
    map.server().createDatabase("bare");
    FeatureResolver bare = new FeatureResolver(map.poolOf("bare"), map.cells, MapDatabase.LIMITS);
    assertThat(MapDatabase.await(bare.problem()))
        .hasValueSatisfying(
            text -> assertThat(text).contains("has no schema millrace_spatial: run migrate"));
    map.admin("create role stranger login");
    FeatureResolver stranger =
        new FeatureResolver(map.poolAs("stranger"), map.cells, MapDatabase.LIMITS);
    assertThat(MapDatabase.await(stranger.problem()))
        .hasValueSatisfying(text -> assertThat(text).contains("grant millrace_relay to stranger"));
  }

  @Test
  void a_second_migration_changes_nothing_and_one_without_postgis_says_what_is_missing() {
    assertThat(map.migration().migrate()).isZero();
    map.server().createDatabase("plain");
    assertThatThrownBy(
            () ->
                new SpatialMigration(
                        new SpatialMigration.Login(
                            map.server().jdbcUrl("plain"), map.server().user(), ""))
                    .migrate())
        .hasMessageContaining("no extension postgis")
        .hasMessageContaining("create extension postgis");
  }

  /** What a table's owner hangs on it runs with the rights of a role that has none. */
  @Test
  void an_owners_code_never_runs_with_the_rights_of_a_relay() {
    String layer = map.layer("geometry(Point, 4326)");
    map.create(layer, 1, POINT);
    map.app("create table mapper.seen (who text)");
    map.app("grant insert on mapper.seen to public");
    map.app(
        "create function mapper.spy(text) returns text language plpgsql as $$ begin insert into mapper.seen values (current_user); return $1; end $$");
    map.app("create type mapper.mood as enum ('calm')");
    map.app(
        "create function mapper.mood_json(mapper.mood) returns json language plpgsql as $$ begin if pg_has_role(current_user, 'millrace_relay', 'member') then raise 'as the relay'; end if; return '\"seen as ' || current_user || '\"'; end $$");
    map.app("create cast (mapper.mood as json) with function mapper.mood_json(mapper.mood)");
    map.app("alter table mapper." + layer + " add mood mapper.mood default 'calm'");
    map.admin(
        "select millrace_spatial.register_layer('%1$s', 'mapper.%1$s', 'id', 'geom', 'version', '%1$s', array['mood'])"
            .formatted(layer));
    map.app("grant usage on schema mapper to public");
    JsonObject feature = map.published(layer).get(0);
    assertThat(feature.getJsonObject("properties").getMap())
        .isEqualTo(Map.of("mood", "seen as millrace_layer"));
    assertThat(
            map.admin("select 1 where pg_has_role('millrace_layer', 'millrace_relay', 'member')"))
        .isEmpty();
  }

  @Test
  void a_payload_that_was_filled_counts_with_its_size() {
    String layer = map.layer("geometry");
    map.create(layer, 1, HugeShape.ofVertices(1_000));
    OutboxMessage before = map.messages(layer).get(0);
    OutboxMessage after = map.resolve(List.of(before)).messages().get(0);
    Payload filled = after.payload();
    assertThat(after.bytes() - before.bytes())
        .isEqualTo(filled.size() - before.payload().size())
        .isGreaterThan(10_000);
  }
}
