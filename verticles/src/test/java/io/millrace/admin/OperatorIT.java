package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What else an operator does, and looks at. */
class OperatorIT {
  private static final String REASON = "{\"reason\": \"moving topics\"}";

  private static AdminStand stand;

  private AdminNode node;

  @BeforeAll
  static void lay() throws Exception {
    stand = new AdminStand();
    stand.claimTwoShards();
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @BeforeEach
  void deploy() throws Exception {
    stand.sql(
        "delete from millrace.replay_shard",
        "delete from millrace.replay",
        "delete from millrace.lane",
        "truncate millrace.audit, millrace.parked",
        "truncate millrace.outbox",
        "update millrace.shard set paused = false",
        "update millrace.slot set opened_at = now() where state = 'hot'");
    node = new AdminNode(stand, Tokens.settings());
  }

  @AfterEach
  void undeploy() {
    node.close();
  }

  @Test
  void a_shard_is_paused_and_resumed_and_a_repetition_is_harmless_and_says_so() throws Exception {
    assertThat(post("/shards/2/pause", REASON))
        .isEqualTo(new JsonObject("{\"shard\": 2, \"paused\": true, \"changed\": true}"));
    assertThat(post("/shards/2/pause", REASON).getBoolean("changed")).isFalse();
    assertThat(stand.number("select count(*) from millrace.shard where paused")).isEqualTo(1);
    assertThat(post("/shards/2/resume", REASON).getBoolean("changed")).isTrue();
    assertThat(post("/shards/2/resume", REASON).getBoolean("changed")).isFalse();
    assertThat(stand.number("select count(*) from millrace.shard where paused")).isZero();
    assertThat(
            stand.number(
                "select count(*) from millrace.audit where actor = 'ada' and reason = 'moving"
                    + " topics' and act in ('pause_shard', 'resume_shard')"))
        .isEqualTo(2);
  }

  @Test
  void a_shard_that_there_is_not_is_named_with_the_limit() throws Exception {
    HttpResponse<String> answer = node.post("/shards/4/pause", Tokens.OPERATOR, REASON);
    AdminNode.assertProblem(answer, 400, "Bad Request");
    assertThat(answer.body()).contains("shard must be 0 to 3, found 4");
    AdminNode.assertProblem(
        node.post("/shards/99999999/pause", Tokens.OPERATOR, REASON), 404, "Not Found");
  }

  @Test
  void the_ring_is_asked_to_turn_once_and_maintenance_finds_it_due() throws Exception {
    assertThat(post("/ring/turn", REASON).getBoolean("changed")).isTrue();
    assertThat(post("/ring/turn", REASON).getBoolean("changed")).isFalse();
    assertThat(
            stand.number(
                "select count(*) from millrace.slot where state = 'hot'"
                    + " and opened_at < now() - interval '8 d'"))
        .isEqualTo(1);
    assertThat(stand.number("select count(*) from millrace.audit where act = 'turn_ring'"))
        .isEqualTo(1);
  }

  @Test
  void a_replay_is_started_listed_by_page_and_cancelled() throws Exception {
    publish(3);
    JsonObject order = new JsonObject().put("reason", "lost a day").put("topic", "orders");
    long first = post("/replays", order.encode()).getLong("replay");
    long second = post("/replays", order.put("rate", 7).encode()).getLong("replay");
    JsonObject page = page("/replays?limit=1");
    JsonObject newest = page.getJsonArray("replays").getJsonObject(0);
    assertThat(newest.getLong("replay")).isEqualTo(second);
    assertThat(newest.getInteger("rate")).isEqualTo(7);
    assertThat(newest.getString("actor")).isEqualTo("ada");
    page = page("/replays?limit=1&cursor=" + page.getString("next"));
    assertThat(page.getJsonArray("replays").getJsonObject(0).getLong("replay")).isEqualTo(first);
    assertThat(page("/replays?cursor=" + page.getString("next")).getJsonArray("replays")).isEmpty();
    assertThat(post("/replays/" + first + "/cancel", REASON).getBoolean("changed")).isTrue();
    assertThat(post("/replays/" + first + "/cancel", REASON).getBoolean("changed")).isFalse();
    AdminNode.assertProblem(
        node.post("/replays/999/cancel", Tokens.OPERATOR, REASON), 400, "Bad Request");
  }

  @Test
  void a_replay_that_makes_no_sense_is_refused_in_the_words_of_the_database() throws Exception {
    HttpResponse<String> answer = node.post("/replays", Tokens.OPERATOR, REASON);
    AdminNode.assertProblem(answer, 400, "Bad Request");
    assertThat(answer.body()).contains("a replay needs a time, a topic or an aggregate");
    for (String bad :
        List.of(
            "\"rate\": 0",
            "\"from_at\": \"yesterday\"",
            "\"from_at\": \"+12345-01-01T00:00:00Z\"")) {
      answer = node.post("/replays", Tokens.OPERATOR, "{\"reason\": \"why\", " + bad + "}");
      AdminNode.assertProblem(answer, 400, "Bad Request");
      assertThat(answer.body()).contains("errors");
    }
  }

  @Test
  void a_node_whose_role_may_not_act_is_told_which_grant_is_missing() throws Exception {
    stand.sql(
        "drop role if exists weak",
        "create role weak login in role millrace_relay, millrace_maintenance");
    try (AdminNode weak = new AdminNode(stand, Tokens.settings(), stand.storesAs("weak"))) {
      HttpResponse<String> answer = weak.post("/shards/1/pause", Tokens.OPERATOR, REASON);
      AdminNode.assertProblem(answer, 403, "Forbidden");
      assertThat(answer.body()).contains("grant millrace_operator to");
      assertThat(weak.get("/parked", Tokens.VIEWER).statusCode()).isEqualTo(200);
      assertThat(weak.get("/nodes", Tokens.VIEWER).statusCode()).isEqualTo(200);
      assertThat(weak.get("/messages/" + newId(), Tokens.VIEWER).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void a_message_is_waiting_then_published_with_its_receipt() throws Exception {
    stand.sql("select millrace.append('orders', 'order', '7', 'placed', '\\x00')");
    String id = stand.text("select message_id from millrace.outbox");
    JsonObject found = page("/messages/" + id);
    assertThat(found.getString("state")).isEqualTo("waiting");
    assertThat(found.getJsonObject("place").getString("aggregate_id")).isEqualTo("7");
    assertThat(found.getJsonObject("place").getInteger("slot")).isNotNull();
    assertThat(found.getJsonObject("place").getValue("receipt")).isNull();
    stand.sql(
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count,"
            + " first_id, last_id) select shard, 9, 1 + coalesce((select max(r.counter) from"
            + " millrace.receipt r), 0), pg_current_snapshot(), id, id, 1, id, id from millrace.outbox");
    found = page("/messages/" + id);
    assertThat(found.getString("state")).isEqualTo("published");
    assertThat(found.getJsonObject("place").getJsonObject("receipt").getLong("epoch")).isEqualTo(9);
  }

  @Test
  void a_message_that_is_not_there_is_gone_or_never_was() throws Exception {
    JsonObject found = page("/messages/" + newId() + "?within_seconds=5");
    assertThat(found.getString("state")).isEqualTo("gone_or_never_there");
    assertThat(found.getBoolean("complete")).isTrue();
    for (String path :
        List.of("/messages/7", "/messages/" + UUID.randomUUID(), "/messages/x?within_seconds=0")) {
      AdminNode.assertProblem(node.get(path, Tokens.VIEWER), 400, "Bad Request");
    }
  }

  @Test
  void lanes_come_by_page() throws Exception {
    stand.sql(
        "insert into millrace.lane (shard, topic, reason)"
            + " select n % 2, 'topic-' || n, 'missing' from generate_series(1, 5) n");
    JsonObject page = page("/lanes?limit=3");
    assertThat(page.getJsonArray("lanes")).hasSize(3);
    JsonObject lane = page.getJsonArray("lanes").getJsonObject(0);
    assertThat(lane.getString("node")).isEqualTo(AdminStand.NODE);
    assertThat(lane.getString("reason")).isEqualTo("missing");
    page = page("/lanes?limit=3&cursor=" + page.getString("next"));
    assertThat(page.getJsonArray("lanes")).hasSize(2);
    assertThat(page.getString("next")).isNull();
  }

  @Test
  void the_nodes_are_shown_with_what_they_own() throws Exception {
    JsonArray nodes = page("/nodes").getJsonArray("nodes");
    assertThat(nodes).hasSize(1);
    JsonObject one = nodes.getJsonObject(0);
    assertThat(one.getString("name")).isEqualTo(AdminStand.NODE);
    assertThat(one.getString("role")).isEqualTo("relay");
    assertThat(one.getInteger("shards")).isEqualTo(2);
    assertThat(one.getBoolean("maintaining")).isFalse();
  }

  @Test
  void the_configuration_is_shown_without_its_secrets() throws Exception {
    Map<String, Object> settings = Tokens.jwtSettings();
    settings.put("database.password", "hunter2hunter2");
    settings.put("kafka.properties.sasl.jaas.config", "hunter2hunter2");
    try (AdminNode other = new AdminNode(stand, settings)) {
      HttpResponse<String> answer = other.get("/config", Tokens.VIEWER);
      assertThat(answer.body())
          .doesNotContain("hunter2", Tokens.VIEWER, Tokens.OPERATOR, Tokens.SECRET);
      JsonObject config = new JsonObject(answer.body()).getJsonObject("config");
      assertThat(config.getString("relay.batch_rows_max")).isEqualTo("200");
      assertThat(config.getString("database.password")).isEqualTo("******");
      assertThat(config.getString("admin.tokens")).isEqualTo("{ada=******, bob=******}");
    }
  }

  /** Messages that main's newest receipts cover. */
  private static void publish(int messages) throws Exception {
    stand.sql(
        "select a.* from generate_series(1, "
            + messages
            + ") n, millrace.append('orders', 'order', n::text, 'placed', '\\x00ff') a",
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)"
            + " select shard, 9, 1 + (select max(r.counter) from millrace.receipt r),"
            + " pg_current_snapshot(), (select max(id) from millrace.outbox), 0, 0"
            + " from millrace.shard");
  }

  private static String newId() throws Exception {
    return stand.text("select millrace.uuid_v7()");
  }

  private JsonObject post(String path, String body) throws Exception {
    HttpResponse<String> answer = node.post(path, Tokens.OPERATOR, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private JsonObject page(String path) throws Exception {
    HttpResponse<String> answer = node.get(path, Tokens.VIEWER);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }
}
