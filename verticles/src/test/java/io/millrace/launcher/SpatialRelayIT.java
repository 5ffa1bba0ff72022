package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresSpec;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * From a desktop tool's change of a feature to a record; a bad one stops none but its followers.
 */
@Tag("any-database")
class SpatialRelayIT {
  private static DevStack stack;

  private Stand stand;
  private String topic;

  @BeforeAll
  static void startServers() {
    stack = DevStack.start(new DevStackSpec(PostgresSpec.ofPostgis(), KafkaSpec.defaults()));
  }

  @AfterAll
  static void stopServers() {
    stack.close();
  }

  @BeforeEach
  void prepare() throws Exception {
    topic = "spatial-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    stand = new Stand(stack);
    Map<String, Object> config = stand.config(Map.of("spatial.enabled", true));
    stand.sql("create extension postgis");
    assertThat(MigrateCommand.migrateSpatial(MillraceConfig.from(config))).isPositive();
    assertThat(MigrateCommand.migrateSpatial(MillraceConfig.from(config))).isZero();
    layer("trees");
    layer("roads");
    stand.start(Map.of("spatial.enabled", true));
  }

  @AfterEach
  void end() {
    stand.close();
  }

  private void layer(String name) throws Exception {
    stand.sql(
        "create table public.%s (id int primary key, version bigint not null, geom geometry)"
            .formatted(name),
        "grant select on public.%s to millrace_layer".formatted(name),
        "select millrace_spatial.register_layer('%1$s', 'public.%1$s', 'id', 'geom', 'version', '%2$s')"
            .formatted(name, topic),
        "select millrace_spatial.capture('%s')".formatted(name));
  }

  private void write(String table, int id, String point) throws Exception {
    stand.sql(
        "insert into public.%s (id, geom) values (%d, ST_GeomFromEWKT('%s')) on conflict (id) do update set geom = excluded.geom"
            .formatted(table, id, point));
  }

  @Test
  void a_change_arrives_as_geo_json_under_its_cell() throws Exception {
    write("trees", 1, "SRID=4326;POINT(13.405 52.525)");
    try (Arrivals arrivals = arrivals()) {
      ConsumerRecord<byte[], byte[]> record = arrivals.await(1).get(0);
      assertThat(Arrivals.text(record.key())).isEqualTo("881f1d4891fffff");
      assertThat(Arrivals.headers(record, "content-type")).containsExactly("application/geo+json");
      assertThat(Arrivals.headers(record, "ce_type")).containsExactly("trees.create");
      assertThat(Arrivals.headers(record, "millrace_revision")).containsExactly("1");
      assertThat(new JsonObject(Arrivals.text(record.value())).getJsonObject("geometry").encode())
          .isEqualTo("{\"type\":\"Point\",\"coordinates\":[13.405,52.525]}");
    }
  }

  @Test
  void a_feature_that_cannot_be_read_is_parked_with_its_followers_and_all_others_flow()
      throws Exception {
    write("trees", 1, "POINT(13 52)");
    for (int id = 2; id <= 20; id++) {
      write("trees", id, "SRID=4326;POINT(13 52)");
    }
    try (Arrivals arrivals = arrivals()) {
      arrivals.await(19);
      awaitParked(1);
      assertThat(stand.text("select reason from millrace.parked where state = 'dead'"))
          .isEqualTo(
              "feature 1 of layer trees: geometry must have a reference system, found SRID 0 (22023)");
      write("trees", 1, "SRID=4326;POINT(2 48)");
      awaitParked(2);

      stand.sql("select millrace.redrive('ann', 'geometry mended', p_topic => '" + topic + "')");

      List<String> texts = Arrivals.texts(arrivals.await(21));
      assertThat(texts.subList(19, 21))
          .extracting(text -> new JsonObject(text).getLong("event_version"))
          .containsExactly(1L, 2L);
      assertThat(new JsonObject(texts.get(19)).getLong("geometry_version")).isEqualTo(2);
    }
  }

  @Test
  void a_table_that_is_gone_parks_its_own_messages_and_stops_no_shard() throws Exception {
    write("roads", 1, "SRID=4326;POINT(1 1)");
    try (Arrivals arrivals = arrivals()) {
      arrivals.await(1);
      stand.sql(
          "begin; update public.roads set version = 0; alter table public.roads rename column geom to shape; commit");
      awaitParked(1);
      assertThat(stand.text("select reason from millrace.parked"))
          .contains("layer roads: ", "(42703)");
      for (int id = 1; id <= 20; id++) {
        write("trees", id, "SRID=4326;POINT(13 52)");
      }
      arrivals.await(21);
    }
  }

  private void awaitParked(int count) {
    await("parked")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.parked"), n -> n == count);
  }

  private Arrivals arrivals() {
    return new Arrivals(stack.kafka().bootstrapServers(), topic);
  }
}
