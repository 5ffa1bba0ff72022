package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The OWASP API Security Top 10 of 2023, tried on the API. */
class OwaspTopTenIT {
  private static final String ACT = "{\"reason\": \"why\"}";
  private static final String SELECTION = "{\"reason\": \"why\", \"topic\": \"orders\"}";

  private static AdminStand stand;

  private AdminNode node;

  @BeforeAll
  static void lay() {
    stand = new AdminStand();
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @BeforeEach
  void deploy() throws Exception {
    stand.sql(
        "truncate millrace.parked, millrace.audit, millrace.blocked_key",
        "update millrace.shard set paused = false",
        "insert into millrace.parked (message_id, id, shard, aggregate_type, aggregate_id, topic,"
            + " event_type, content_type, headers, payload, created_at, state, reason)"
            + " select millrace.uuid_v7(), n, 0, 'order', E'<script>\\n\"' || n, 'orders', 'placed',"
            + " 'text/html', '{X-Evil,a}', '<script>alert(1)</script>', now(), 'dead', E'a\\r\\nb'"
            + " from generate_series(1, 3) n");
    node = new AdminNode(stand, Tokens.settings());
  }

  @AfterEach
  void undeploy() {
    node.close();
  }

  /** Method and path of every route, parameters filled in. */
  private static Set<String> routes(String role) {
    Set<String> found = new TreeSet<>();
    Map<String, Map<String, Map<String, Map<String, Object>>>> file =
        new Yaml().load(OpenApi.text());
    file.get("paths")
        .forEach(
            (path, verbs) ->
                verbs.forEach(
                    (verb, operation) -> {
                      if (role.equals(operation.get("x-role"))) {
                        found.add(
                            verb
                                + " "
                                + path.replaceAll("\\{(id|shard|replay)}", "1")
                                    .replaceAll(
                                        "\\{message_id}", "0190a000-0000-7000-8000-00000000000a"));
                      }
                    }));
    return found;
  }

  @Test
  void api1_no_object_is_shown_to_whoever_guesses_its_id() throws Exception {
    for (String path :
        List.of(
            "/parked/1", "/parked/1/payload", "/messages/0190a000-0000-7000-8000-00000000000a")) {
      AdminNode.assertProblem(node.get(path), 401, "Unauthorized");
    }
    // A cursor is a place, not a right: one of another list opens nothing.
    String ofReplays = Cursor.of("replay", 0L);
    AdminNode.assertProblem(
        node.get("/parked?cursor=" + ofReplays, Tokens.VIEWER), 400, "Bad Request");
  }

  @Test
  void api2_every_route_but_health_and_the_empty_page_asks_who_is_there() throws Exception {
    Set<String> closed = routes("viewer");
    closed.addAll(routes("operator"));
    assertThat(closed).hasSizeGreaterThan(15);
    for (String route : closed) {
      assertThat(send(route)).as(route).isEqualTo(401);
    }
    assertThat(routes("none"))
        .containsExactly("get /", "get /dashboard/{file}", "get /health/live", "get /health/ready");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"actor\": \"bob\"",
        "\"p_actor\": \"bob\"",
        "\"role\": \"operator\"",
        "\"wanted\": \"redrive\"",
        "\"audit_id\": 1",
        "\"parked_before\": null",
        "\"__proto__\": {}"
      })
  void api3_a_field_that_nobody_asked_for_changes_nothing(String field) throws Exception {
    String body = "{\"reason\": \"why\", \"topic\": \"orders\", " + field + "}";
    HttpResponse<String> answer = node.post("/parked/discard", Tokens.OPERATOR, body);
    AdminNode.assertProblem(answer, 400, "Bad Request");
    assertThat(answer.body()).contains("is not known here");
    assertUntouched();
  }

  @Test
  void api3_the_actor_is_the_name_of_the_token_and_nothing_that_was_sent() throws Exception {
    HttpResponse<String> answer =
        node.send(
            node.request("/parked/discard")
                .header("Authorization", "Bearer " + Tokens.OPERATOR)
                .header("Content-Type", "application/json")
                .header("X-Forwarded-User", "bob")
                .header("From", "bob")
                .POST(BodyPublishers.ofString(SELECTION))
                .build());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(stand.text("select string_agg(actor, ',') from millrace.audit")).isEqualTo("ada");
  }

  @Test
  void api4_a_body_above_the_limit_is_not_taken_in() throws Exception {
    String large = "{\"reason\": \"" + "a".repeat(Routes.BODY_BYTES_MAX) + "\"}";
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send(
          "POST /ring/turn HTTP/1.1",
          "Host: localhost",
          "Authorization: Bearer " + Tokens.OPERATOR,
          "Content-Type: application/json",
          "Content-Length: " + large.length());
      raw.send(large);
      assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
    }
    assertUntouched();
  }

  @Test
  void api4_a_body_that_could_go_on_for_ever_is_not_begun() throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send(
          "POST /ring/turn HTTP/1.1",
          "Host: localhost",
          "Authorization: Bearer " + Tokens.OPERATOR,
          "Content-Type: application/json",
          "Transfer-Encoding: chunked");
      assertThat(raw.rest()).startsWith("HTTP/1.1 411 ").contains("Content-Length alone");
    }
  }

  @Test
  void api4_pictures_and_frames_of_other_sites_hold_no_stream() throws Exception {
    for (String what : List.of("image", "iframe", "empty")) {
      AdminNode.assertProblem(embedded("/events", "cross-site", what), 403, "Forbidden");
      AdminNode.assertProblem(embedded("/events", "same-site", what), 403, "Forbidden");
    }
    assertThat(embedded("/", "cross-site", "document").statusCode()).as("a link").isEqualTo(200);
    assertThat(embedded("/shards", "same-origin", "empty").statusCode()).isEqualTo(200);
    assertThat(embedded("/shards", "none", "document").statusCode()).as("typed").isEqualTo(200);
  }

  private HttpResponse<String> embedded(String path, String site, String what) throws Exception {
    return node.send(
        node.request(path)
            .header("Authorization", "Bearer " + Tokens.VIEWER)
            .header("Sec-Fetch-Site", site)
            .header("Sec-Fetch-Dest", what)
            .build());
  }

  @Test
  void api4_headers_and_lines_without_measure_are_refused() throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /health/live HTTP/1.1", "Host: localhost", "X: " + "a".repeat(20_000));
      assertThat(raw.answer()).startsWith("HTTP/1.1 431 ");
    }
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /health/live?" + "a".repeat(9_000) + " HTTP/1.1", "Host: localhost");
      assertThat(raw.answer()).contains(" 414 ");
    }
  }

  @Test
  void api4_json_as_deep_as_a_body_allows_is_answered() throws Exception {
    String deep = "{\"reason\": " + "[".repeat(30_000) + "]".repeat(30_000) + "}";
    assertThat(node.post("/ring/turn", Tokens.OPERATOR, deep).statusCode()).isEqualTo(400);
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
  }

  @Test
  void api4_no_page_is_longer_than_a_thousand_rows() throws Exception {
    for (String limit : List.of("1001", "-1", "2147483648", "1e3")) {
      assertThat(node.get("/parked?limit=" + limit, Tokens.VIEWER).statusCode()).isEqualTo(400);
    }
  }

  @Test
  void api5_a_viewer_changes_nothing_whatever_the_route() throws Exception {
    Set<String> changes = routes("operator");
    assertThat(changes).hasSizeGreaterThan(6);
    for (String route : changes) {
      HttpResponse<String> answer =
          node.post(route.substring("post ".length()), Tokens.VIEWER, SELECTION);
      AdminNode.assertProblem(answer, 403, "Forbidden");
      assertThat(answer.body()).as(route).contains("needs the role operator");
    }
    assertUntouched();
  }

  @Test
  void api5_without_authentication_nobody_is_an_operator() throws Exception {
    try (AdminNode open = new AdminNode(stand)) {
      for (String route : routes("operator")) {
        HttpResponse<String> answer =
            open.post(route.substring("post ".length()), Tokens.OPERATOR, SELECTION);
        AdminNode.assertProblem(answer, 403, "Forbidden");
      }
    }
    assertUntouched();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shards/1/pause/",
        "/shards/1/pause?",
        "//shards/1/pause",
        "/./shards/1/pause",
        "/parked/../shards/1/pause",
        "/parked/..%2fshards/1/pause",
        "/%73hards/1/pause",
        "/SHARDS/1/pause",
        "/health/live/../../shards/1/pause",
        "/health/live%2f..%2f..%2fshards/1/pause",
        "/shards/1/pause;a=b",
        "/shards/1/pause%00"
      })
  void api5_no_spelling_of_a_path_leads_past_the_gate(String path) throws Exception {
    for (String token : List.of("", "Authorization: Bearer " + Tokens.VIEWER)) {
      try (RawHttp raw = new RawHttp(node.port())) {
        raw.send(
            "POST " + path + " HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Content-Length: " + ACT.length(),
            token.isEmpty() ? "X: y" : token,
            "",
            ACT);
        assertThat(raw.answer()).matches("(?s)HTTP/1.1 (400|401|403|404|405) .*");
      }
    }
    assertUntouched();
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"})
  void api5_a_read_does_not_become_a_change_by_a_header(String header) throws Exception {
    HttpResponse<String> answer =
        node.send(
            node.request("/shards/1/pause")
                .header("Authorization", "Bearer " + Tokens.OPERATOR)
                .header(header, "POST")
                .build());
    AdminNode.assertProblem(answer, 405, "Method Not Allowed");
    assertThat(answer.headers().firstValue("Allow")).contains("POST");
    assertUntouched();
  }

  @Test
  void api6_whoever_acts_too_fast_is_slowed_down_under_his_name() throws Exception {
    Map<String, Object> settings = Tokens.settings();
    settings.put("admin.requests_per_second_max", 1);
    settings.put("admin.tls_terminated_by_proxy", true);
    try (AdminNode slow = new AdminNode(stand, settings)) {
      int status = 200;
      for (int i = 0; i < 50 && status == 200; i++) {
        // From everywhere, so that it is the name that counts.
        try (RawHttp raw = new RawHttp(slow.port())) {
          raw.send(
              "GET /nodes HTTP/1.1",
              "Host: localhost",
              "X-Forwarded-For: 10.0.0." + i,
              "Authorization: Bearer " + Tokens.OPERATOR);
          status = Integer.parseInt(raw.answer().substring("HTTP/1.1 ".length()).substring(0, 3));
        }
      }
      assertThat(status).isEqualTo(429);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "..",
        "a/b",
        "a b",
        "a\\u0000"
      })
  void api7_no_field_is_an_address_that_the_server_would_ask(String target) throws Exception {
    String body =
        "{\"reason\": \"why\", \"topic\": \"orders\", \"target_topic\": \"" + target + "\"}";
    AdminNode.assertProblem(node.post("/replays", Tokens.OPERATOR, body), 400, "Bad Request");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "text/plain; application/json"
      })
  void api8_what_a_form_of_another_page_could_send_is_refused(String type) throws Exception {
    HttpResponse<String> answer =
        node.send(
            node.request("/shards/1/pause")
                .header("Authorization", "Bearer " + Tokens.OPERATOR)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(ACT))
                .build());
    AdminNode.assertProblem(answer, 415, "Unsupported Media Type");
    assertUntouched();
  }

  @Test
  void api8_no_answer_invites_another_origin_or_tells_what_is_inside() throws Exception {
    for (String method : List.of("GET", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "CONFUSE")) {
      HttpResponse<String> answer =
          node.send(
              node.request("/parked/x")
                  .header("Authorization", "Bearer " + Tokens.OPERATOR)
                  .method(method, BodyPublishers.noBody())
                  .build());
      assertThat(answer.statusCode()).as(method).isBetween(400, 499);
      assertThat(answer.headers().map().keySet())
          .noneMatch(name -> name.toLowerCase().startsWith("access-control-"))
          .doesNotContain("server", "x-powered-by");
      assertThat(answer.body()).doesNotContain("Exception", "io.vertx", "io.millrace", "\\tat ");
    }
  }

  @Test
  void api8_a_request_that_two_servers_could_cut_differently_is_not_served() throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send(
          "POST /ring/turn HTTP/1.1",
          "Host: localhost",
          "Authorization: Bearer " + Tokens.OPERATOR,
          "Content-Type: application/json",
          "Content-Length: 4",
          "Transfer-Encoding: chunked",
          "",
          "0",
          "",
          "POST /shards/1/pause HTTP/1.1",
          "Host: localhost",
          "Authorization: Bearer " + Tokens.OPERATOR,
          "Content-Type: application/json",
          "Content-Length: " + ACT.length(),
          "",
          ACT);
      assertThat(raw.rest()).startsWith("HTTP/1.1 411 ").containsOnlyOnce("HTTP/1.1 ");
    }
    assertUntouched();
  }

  @Test
  void api9_strangers_cannot_tell_a_path_that_is_there_from_one_that_is_not() throws Exception {
    HttpResponse<String> there = node.get("/parked");
    HttpResponse<String> notThere = node.get("/debug");
    assertThat(notThere.statusCode()).isEqualTo(there.statusCode()).isEqualTo(401);
    assertThat(notThere.body()).isEqualTo(there.body());
    assertThat(node.get("/openapi.yaml").statusCode()).isEqualTo(401);
    assertThat(node.get("/openapi.yaml", Tokens.VIEWER).body()).isEqualTo(OpenApi.text());
  }

  @Test
  void api10_what_applications_have_written_is_shown_as_data_and_nothing_else() throws Exception {
    HttpResponse<String> page = node.get("/parked?limit=1", Tokens.VIEWER);
    assertThat(page.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    JsonObject one = new JsonObject(page.body()).getJsonArray("messages").getJsonObject(0);
    assertThat(one.getString("aggregate_id")).isEqualTo("<script>\n\"1");
    HttpResponse<String> payload = node.get("/parked/1/payload", Tokens.VIEWER);
    assertThat(payload.body()).isEqualTo("<script>alert(1)</script>");
    assertThat(payload.headers().firstValue("Content-Type")).contains("application/octet-stream");
    assertThat(payload.headers().firstValue("X-Evil")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"' or 1=1 --", "orders'; drop table millrace.parked; --", "%", "\\"})
  void api10_a_filter_is_a_value_and_never_a_statement(String topic) throws Exception {
    String query = "?topic=" + java.net.URLEncoder.encode(topic, "UTF-8");
    HttpResponse<String> answer = node.get("/parked" + query, Tokens.VIEWER);
    assertThat(new JsonObject(answer.body()).getJsonArray("messages")).isEqualTo(new JsonArray());
    String body = new JsonObject().put("reason", topic).put("topic", topic).encode();
    answer = node.post("/parked/discard", Tokens.OPERATOR, body);
    assertThat(new JsonObject(answer.body()).getInteger("messages")).isZero();
    assertUntouched();
  }

  private int send(String route) throws Exception {
    String method = route.substring(0, route.indexOf(' ')).toUpperCase();
    var request =
        node.request(route.substring(route.indexOf(' ') + 1))
            .header("Content-Type", "application/json")
            .method(
                method,
                method.equals("POST") ? BodyPublishers.ofString(ACT) : BodyPublishers.noBody());
    return node.send(request.build()).statusCode();
  }

  private void assertUntouched() throws Exception {
    assertThat(stand.number("select count(*) from millrace.parked where wanted is null"))
        .isEqualTo(3);
    assertThat(stand.number("select count(*) from millrace.shard where paused")).isZero();
    assertThat(stand.number("select count(*) from millrace.audit")).isZero();
  }
}
