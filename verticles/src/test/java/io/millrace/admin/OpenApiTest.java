package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.AdminConfig;
import io.millrace.core.config.DatabaseConfig;
import io.millrace.postgres.PgDatabase;
import io.millrace.postgres.PgLookStore;
import io.millrace.postgres.PgOperatorStore;
import io.millrace.postgres.PgStatusStore;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Holds docs/openapi.yaml against the routes. */
class OpenApiTest {
  private static Vertx vertx;
  private static Routes routes;

  private final Map<String, Object> file = new Yaml().load(OpenApi.text());

  @BeforeAll
  static void makeTheRoutes() throws Exception {
    vertx = Vertx.vertx();
    Logins logins = AdminStand.await(Logins.open(vertx, AdminConfig.defaults()));
    Gate gate = new Gate(AdminConfig.defaults(), logins, System::nanoTime);
    // Never connected to: routes are made before anything is asked.
    PgDatabase database = PgDatabase.open(vertx, DatabaseConfig.defaults(), "nobody");
    AdminSources.Stores stores =
        new AdminSources.Stores(new PgLookStore(database), new PgOperatorStore(database));
    AdminSources sources =
        new AdminSources(new PgStatusStore(database), stores, () -> "", List.of(), Map.of());
    routes = new AdminApi(vertx, sources, "node-a", 0, gate).routes();
  }

  @AfterAll
  static void end() {
    AdminStand.await(vertx.close());
  }

  @Test
  void every_route_is_described_and_nothing_else_is() {
    Set<String> described = new TreeSet<>();
    operations((name, operation) -> described.add(name));
    assertThat(described).isEqualTo(routes.list());
  }

  @Test
  void each_says_the_role_that_its_route_asks_for() {
    operations(
        (name, operation) ->
            assertThat(operation.get("x-role")).as(name).isEqualTo(routes.roles().get(name)));
  }

  @Test
  void nobody_is_told_that_a_token_is_not_needed_where_it_is() {
    operations(
        (name, operation) ->
            assertThat(operation.containsKey("security"))
                .as(name)
                .isEqualTo(operation.get("x-role").equals("none")));
  }

  @Test
  void every_parameter_of_a_path_is_described() {
    operations(
        (name, operation) -> {
          Set<String> described = new TreeSet<>();
          for (Object parameter : list(operation.get("parameters"))) {
            Map<String, Object> found = resolve(map(parameter));
            if (found.get("in").equals("path")) {
              described.add(String.valueOf(found.get("name")));
            }
          }
          Set<String> inPath = new TreeSet<>();
          Pattern.compile("\\{([a-z_]+)}")
              .matcher(name)
              .results()
              .forEach(r -> inPath.add(r.group(1)));
          assertThat(described).as(name).isEqualTo(inPath);
        });
  }

  @Test
  void every_body_names_its_fields_and_needs_a_reason() {
    operations(
        (name, operation) -> {
          if (!name.startsWith("POST ")) {
            assertThat(operation).as(name).doesNotContainKey("requestBody");
            return;
          }
          Map<String, Object> content = map(map(operation.get("requestBody")).get("content"));
          Map<String, Object> json = map(content.get("application/json"));
          Map<String, Object> schema = resolve(map(json.get("schema")));
          assertThat(schema.get("additionalProperties")).as(name).isEqualTo(false);
          assertThat(list(schema.get("required"))).as(name).contains("reason");
        });
  }

  private void operations(BiConsumer<String, Map<String, Object>> each) {
    map(file.get("paths"))
        .forEach(
            (path, verbs) ->
                map(verbs)
                    .forEach(
                        (verb, operation) ->
                            each.accept(
                                verb.toUpperCase(java.util.Locale.ROOT) + " " + path,
                                map(operation))));
  }

  private Map<String, Object> resolve(Map<String, Object> value) {
    if (!(value.get("$ref") instanceof String reference)) {
      return value;
    }
    Map<String, Object> found = file;
    for (String part : reference.substring("#/".length()).split("/")) {
      assertThat(found).as(reference).containsKey(part);
      found = map(found.get(part));
    }
    return found;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private static List<Object> list(Object value) {
    return value == null ? List.of() : new ArrayList<>((List<?>) value);
  }
}
