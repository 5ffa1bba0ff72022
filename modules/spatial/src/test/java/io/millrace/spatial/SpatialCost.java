package io.millrace.spatial;

import io.millrace.client.Outbox;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * What announcing a change adds to a writer, with the geometry left where it is and with the
 * geometry in the message, measured side by side in one run and asserted nowhere. No part of the
 * build; the command is in docs/spatial.md.
 */
class SpatialCost {
  private static final int CHANGES = Integer.getInteger("millrace.spatial.changes", 200);
  private static final int ROUNDS = 5;
  private static final int[] VERTICES = {5, 100, 2_000};

  private final Outbox outbox = Outbox.withoutNudges(new MessageRules(100_000));

  @Test
  void a_change_without_a_message_with_a_late_bound_one_and_with_one_that_carries_the_geometry() {
    try (MapDatabase map = MapDatabase.start()) {
      for (int vertices : VERTICES) {
        measure(map, vertices);
      }
    }
  }

  private void measure(MapDatabase map, int vertices) {
    String plain = map.layer("geometry(Geometry, 4326)");
    String late = map.layer("geometry(Geometry, 4326)");
    String carried = map.layer("geometry(Geometry, 4326)");
    for (String layer : List.of(plain, late, carried)) {
      map.create(layer, 1, HugeShape.ofVertices(vertices));
    }
    Map<String, LongFunction<Future<?>>> writers = new TreeMap<>();
    writers.put("1 plain", version -> map.app.withTransaction(c -> update(c, plain, version)));
    writers.put(
        "2 late-bound",
        version ->
            map.app.withTransaction(
                c -> map.features.change(c, late, "1", (same, next) -> update(same, late, next))));
    writers.put(
        "3 carried",
        version ->
            map.app.withTransaction(
                c ->
                    update(c, carried, version, "ST_AsGeoJSON(geom)")
                        .compose(json -> append(c, carried, version, json))));
    map.admin("truncate millrace.outbox");
    Map<String, List<Double>> micros = new TreeMap<>();
    long version = 1;
    for (int round = 0; round <= ROUNDS; round++) {
      for (Map.Entry<String, LongFunction<Future<?>>> writer : writers.entrySet()) {
        map.admin("checkpoint");
        long start = System.nanoTime();
        for (int i = 1; i <= CHANGES; i++) {
          MapDatabase.await(writer.getValue().apply(version + i));
        }
        // The first round warms up what the others find warm.
        if (round > 0) {
          micros
              .computeIfAbsent(writer.getKey(), name -> new ArrayList<>())
              .add((System.nanoTime() - start) / 1e3 / CHANGES);
        }
      }
      version += CHANGES;
    }
    print(map, vertices, micros, late, carried);
  }

  private static Future<String> update(SqlConnection connection, String layer, long version) {
    return update(connection, layer, version, "''");
  }

  private static Future<String> update(
      SqlConnection connection, String layer, long version, String returned) {
    return connection
        .preparedQuery(
            "update mapper.%s set version = $1, geom = ST_Translate(geom, 0.00001, 0) where id = 1 returning %s"
                .formatted(layer, returned))
        .execute(Tuple.of(version))
        .map(rows -> rows.iterator().next().getString(0));
  }

  private Future<?> append(SqlConnection connection, String layer, long version, String geometry) {
    String feature =
        "{\"type\":\"Feature\",\"id\":\"1\",\"event_version\":%d,\"properties\":{},\"geometry\":%s}"
            .formatted(version, geometry);
    return outbox.append(
        connection,
        NewMessage.of(layer, layer, "1", layer + ".change", Payload.of(feature))
            .withRevision(version));
  }

  private static void print(
      MapDatabase map,
      int vertices,
      Map<String, List<Double>> micros,
      String late,
      String carried) {
    System.out.printf("%,d vertices, microseconds a change%n", vertices);
    double plain = median(micros.get("1 plain"));
    micros.forEach(
        (name, all) ->
            System.out.printf(
                "  %-13s median %7.0f  (%s)  %.1f times plain%n",
                name,
                median(all),
                all.stream().map("%.0f"::formatted).toList(),
                median(all) / plain));
    for (String layer : List.of(late, carried)) {
      Row row =
          map.admin(
                  ("select avg(octet_length(payload))::int as sent, avg(pg_column_size(payload))::int"
                          + " as stored from millrace.outbox where topic = '%s'")
                      .formatted(layer))
              .get(0);
      System.out.printf(
          "  payload in the outbox %,d bytes, %,d stored%n",
          row.getInteger("sent"), row.getInteger("stored"));
    }
  }

  private static double median(List<Double> all) {
    double[] sorted = all.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElseThrow();
  }
}
