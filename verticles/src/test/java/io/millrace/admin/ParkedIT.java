package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParkedIT {
  /** No text at all: what re-encodes it as one changes it. */
  private static final String BYTES = "decode('00ff0a7b22c3a9c328', 'hex')";

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
  void park() throws Exception {
    stand.sql(
        "truncate millrace.parked, millrace.audit, millrace.blocked_key",
        parked("1, 25", "'orders'", "n::text", BYTES),
        parked("26, 26", "'refunds'", "'big'", "decode(repeat('ab', 70000), 'hex')"),
        parked("27, 27", "'refunds'", "'gone'", "null"));
    node = new AdminNode(stand, Tokens.settings());
  }

  @AfterEach
  void undeploy() {
    node.close();
  }

  private static String parked(String range, String topic, String aggregate, String payload) {
    return "insert into millrace.parked (message_id, id, shard, aggregate_type, aggregate_id, topic,"
        + " event_type, content_type, headers, payload, created_at, state, reason)"
        + " select millrace.uuid_v7(), n, n % 4, 'order', "
        + aggregate
        + ", "
        + topic
        + ", 'placed', 'application/json', '{a,1,a,2}', "
        + payload
        + ", now(), case when n % 2 = 0 then 'dead' else 'retrying' end, 'refused'"
        + " from generate_series("
        + range
        + ") n";
  }

  @Test
  void parked_messages_come_by_page_until_there_is_no_next_one() throws Exception {
    List<Integer> ids = new ArrayList<>();
    JsonObject page = page("/parked?limit=10");
    JsonObject first = page.getJsonArray("messages").getJsonObject(0);
    assertThat(first.getString("topic")).isEqualTo("orders");
    assertThat(first.getString("state")).isEqualTo("retrying");
    assertThat(first.getInteger("payload_bytes")).isEqualTo(9);
    assertThat(first.fieldNames()).doesNotContain("payload", "payload_base64");
    addIds(page, ids);
    while (page.getString("next") != null) {
      page = page("/parked?limit=10&cursor=" + page.getString("next"));
      addIds(page, ids);
    }
    assertThat(ids).hasSize(27).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void filters_restrict_alone_and_together() throws Exception {
    assertThat(size("/parked?topic=refunds")).isEqualTo(2);
    assertThat(size("/parked?topic=orders&state=dead")).isEqualTo(12);
    assertThat(size("/parked?aggregate_type=order&aggregate_id=7")).isEqualTo(1);
    assertThat(size("/parked?topic=nothing")).isZero();
    assertThat(page("/parked?topic=nothing").getString("next")).isNull();
  }

  @Test
  void one_is_shown_with_headers_and_the_bytes_of_its_payload() throws Exception {
    JsonObject one = page("/parked/1");
    assertThat(Base64.getDecoder().decode(one.getString("payload_base64")))
        .isEqualTo(new byte[] {0, -1, 10, 123, 34, -61, -87, -61, 40});
    assertThat(one.getJsonArray("headers"))
        .isEqualTo(
            new JsonArray()
                .add(new JsonObject().put("name", "a").put("value", "1"))
                .add(new JsonObject().put("name", "a").put("value", "2")));
    assertThat(page("/parked/27").getValue("payload_base64")).isNull();
  }

  @Test
  void a_long_payload_is_cut_and_its_true_length_is_told() throws Exception {
    JsonObject one = page("/parked/26");
    assertThat(Base64.getDecoder().decode(one.getString("payload_base64"))).hasSize(65_536);
    assertThat(one.getInteger("payload_bytes")).isEqualTo(70_000);
  }

  @Test
  void a_payload_is_downloaded_byte_for_byte_and_never_shown_as_a_page() throws Exception {
    HttpResponse<byte[]> answer = download("/parked/1/payload");
    assertThat(answer.body()).isEqualTo(new byte[] {0, -1, 10, 123, 34, -61, -87, -61, 40});
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/octet-stream");
    assertThat(answer.headers().firstValue("Content-Disposition").orElseThrow())
        .matches("attachment; filename=\"[0-9a-f-]{36}\\.bin\"");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(download("/parked/26/payload").body()).hasSize(70_000);
  }

  @Test
  void a_download_that_has_ended_or_was_given_up_makes_room_for_the_next() throws Exception {
    for (int i = 0; i < 6; i++) {
      assertThat(download("/parked/26/payload").body()).hasSize(70_000);
    }
    for (int i = 0; i < 6; i++) {
      try (RawHttp raw = new RawHttp(node.port())) {
        raw.send(
            "GET /parked/26/payload HTTP/1.1",
            "Host: localhost",
            "Authorization: Bearer " + Tokens.VIEWER);
      }
    }
    await().atMost(AdminNode.LIMIT).until(() -> get("/parked/26/payload").statusCode() == 200);
  }

  @Test
  void a_payload_above_the_limit_is_refused_with_the_limit_and_its_size() throws Exception {
    HttpResponse<String> answer = get("/parked/26/payload?max_bytes=69999");
    AdminNode.assertProblem(answer, 400, "Bad Request");
    assertThat(answer.body()).contains("max_bytes", "70000", "69999");
    assertThat(download("/parked/26/payload?max_bytes=70000").body()).hasSize(70_000);
  }

  @Test
  void what_is_not_there_is_not_found() throws Exception {
    for (String path :
        List.of(
            "/parked/28",
            "/parked/28/payload",
            "/parked/27/payload",
            "/parked/x",
            "/parked/-1",
            "/parked/99999999999999999999")) {
      AdminNode.assertProblem(get(path), 404, "Not Found");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=1001",
        "limit=ten",
        "state=alive",
        "topics=orders",
        "cursor=1",
        "cursor=cmVwbGF5OjE",
        "topic=",
        "topic=a&topic=b",
        "topic=a%00b"
      })
  void a_parameter_that_is_wrong_or_unknown_is_refused_by_name(String query) throws Exception {
    HttpResponse<String> answer = get("/parked?" + query);
    AdminNode.assertProblem(answer, 400, "Bad Request");
    JsonObject error = new JsonObject(answer.body()).getJsonArray("errors").getJsonObject(0);
    assertThat(error.getString("field")).isEqualTo(query.substring(0, query.indexOf('=')));
    assertThat(error.fieldNames()).containsExactly("field", "rule", "found");
  }

  @Test
  void redriving_by_filter_goes_on_page_by_page_and_says_how_many() throws Exception {
    JsonObject body = new JsonObject().put("reason", "broker is back").put("topic", "orders");
    JsonObject first = post("/parked/redrive", body.put("limit", 20));
    assertThat(first.getInteger("messages")).isEqualTo(20);
    JsonObject second = post("/parked/redrive", body.put("cursor", first.getString("next")));
    assertThat(second.getInteger("messages")).isEqualTo(5);
    assertThat(second.getString("next")).isNull();
    assertThat(stand.number("select count(*) from millrace.parked where wanted = 'redrive'"))
        .isEqualTo(25);
    assertThat(stand.number("select count(*) from millrace.parked where wanted is null"))
        .isEqualTo(2);
  }

  @Test
  void a_discard_is_audited_with_who_what_and_why() throws Exception {
    String id = page("/parked/2").getString("message_id");
    JsonObject body =
        new JsonObject().put("reason", "test data").put("message_ids", new JsonArray().add(id));
    assertThat(post("/parked/discard", body).getInteger("messages")).isEqualTo(1);
    assertThat(
            stand.number(
                "select count(*) from millrace.audit where actor = 'ada' and act = 'discard' and"
                    + " reason = 'test data' and detail ->> 'messages' = '1' and"
                    + " detail -> 'message_ids' ->> 0 = '"
                    + id
                    + "'"))
        .isEqualTo(1);
    assertThat(stand.number("select count(*) from millrace.audit")).isEqualTo(1);
  }

  @Test
  void what_concerns_nothing_says_so_and_leaves_no_trace() throws Exception {
    JsonObject body = new JsonObject().put("reason", "why").put("topic", "nothing");
    assertThat(post("/parked/discard", body).getInteger("messages")).isZero();
    assertThat(stand.number("select count(*) from millrace.audit")).isZero();
    body = new JsonObject().put("reason", "why");
    body.put("message_ids", new JsonArray().add(UUID.randomUUID().toString()));
    assertThat(post("/parked/redrive", body).getInteger("messages")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"reason\": \"why\"}",
        "{\"reason\": \"why\", \"topic\": \"orders\", \"message_ids\": [\"x\"]}",
        "{\"topic\": \"orders\"}",
        "{\"reason\": \" \", \"topic\": \"orders\"}",
        "{\"reason\": \"a\\nb\", \"topic\": \"orders\"}",
        "{\"reason\": \"why\", \"topc\": \"orders\"}",
        "{\"reason\": \"why\", \"topic\": 7}",
        "{\"reason\": \"why\", \"topic\": \"orders\", \"limit\": 1001}",
        "{\"reason\": \"why\", \"topic\": \"orders\", \"limit\": 1.5}",
        "{\"reason\": \"why\", \"message_ids\": []}",
        "{\"reason\": \"why\", \"message_ids\": [\"1-1-1-1-1\"]}",
        "{\"reason\": \"why\", \"message_ids\": \"x\"}",
        "[]",
        "7",
        "{",
        ""
      })
  void a_discard_that_is_not_exactly_right_discards_nothing(String body) throws Exception {
    AdminNode.assertProblem(
        node.post("/parked/discard", Tokens.OPERATOR, body), 400, "Bad Request");
    assertThat(stand.number("select count(*) from millrace.parked where wanted is not null"))
        .isZero();
    assertThat(stand.number("select count(*) from millrace.audit")).isZero();
  }

  private JsonObject post(String path, JsonObject body) throws Exception {
    HttpResponse<String> answer = node.post(path, Tokens.OPERATOR, body.encode());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static void addIds(JsonObject page, List<Integer> ids) {
    page.getJsonArray("messages").forEach(one -> ids.add(((JsonObject) one).getInteger("id")));
  }

  private int size(String path) throws Exception {
    return page(path).getJsonArray("messages").size();
  }

  private JsonObject page(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return node.get(path, Tokens.VIEWER);
  }

  private HttpResponse<byte[]> download(String path) throws Exception {
    HttpResponse<byte[]> answer =
        java.net.http.HttpClient.newHttpClient()
            .send(
                node.request(path).header("Authorization", "Bearer " + Tokens.VIEWER).build(),
                BodyHandlers.ofByteArray());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer;
  }
}
