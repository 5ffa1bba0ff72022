package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an operator asks a running node for over HTTP, and what comes of it. */
@Tag("any-database")
class AdminActsIT {
  private static final int BYTES_MAX = 2_000;
  private static final String TOKEN = "operator-token-of-ada-0123456789abcdef";

  private final DevStack stack = SharedStack.get();
  private final HttpClient client = HttpClient.newHttpClient();
  private String topic;
  private Stand stand;
  private Stand.Node node;

  @BeforeEach
  void start() {
    topic = "acts-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of("max.message.bytes", Integer.toString(BYTES_MAX)));
    stand = new Stand(stack);
    node = stand.start(Map.of("admin.tokens.ada", "operator:" + TOKEN));
  }

  @AfterEach
  void end() {
    stand.close();
  }

  @Test
  void the_ring_turns_when_an_operator_wants_it_and_only_then() throws Exception {
    stand.sql(Stand.append(topic, "o1", "before"));
    assertThat(stand.number("select millrace.ring_current()")).isZero();
    assertThat(post("/ring/turn", new JsonObject()).getBoolean("changed")).isTrue();
    awaitNumber("select millrace.ring_current()", 1);
    awaitNumber("select count(*) from millrace.slot where state = 'published'", 1);
    stand.sql(Stand.append(topic, "o1", "after"));
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      assertThat(Arrivals.texts(arrivals.await(2))).containsExactly("before", "after");
    }
    assertThat(stand.number("select millrace.ring_current()")).isEqualTo(1);
  }

  @Test
  void a_parked_message_is_found_looked_at_and_discarded() throws Exception {
    stand.sql(Stand.append(topic, "o1", "x".repeat(3 * BYTES_MAX)));
    awaitNumber("select count(*) from millrace.parked", 1);
    JsonArray parked = get("/parked").getJsonArray("messages");
    assertThat(parked).hasSize(1);
    JsonObject message = parked.getJsonObject(0);
    assertThat(message.getString("state")).isEqualTo("dead");
    assertThat(message.getInteger("payload_bytes")).isEqualTo(3 * BYTES_MAX);
    String id = message.getString("message_id");
    assertThat(get("/messages/" + id).getString("state")).isEqualTo("parked");
    JsonObject body = new JsonObject().put("message_ids", new JsonArray().add(id));
    assertThat(post("/parked/discard", body).getInteger("messages")).isEqualTo(1);
    awaitNumber("select count(*) from millrace.parked", 0);
    assertThat(get("/messages/" + id).getString("state")).isEqualTo("discarded");
    assertThat(
            stand.text(
                "select string_agg(actor || ' ' || act, ', ' order by audit_id) from millrace.audit"))
        .isEqualTo("ada discard, millrace discarded");
  }

  @Test
  void a_published_message_is_found_with_its_receipt_and_is_replayed() throws Exception {
    stand.sql(Stand.append(topic, "o1", "once"));
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      arrivals.await(1);
      String id = stand.text("select message_id from millrace.outbox");
      await("its receipt")
          .atMost(Stand.LIMIT)
          .until(() -> get("/messages/" + id).getString("state").equals("published"));
      JsonObject receipt = get("/messages/" + id).getJsonObject("place").getJsonObject("receipt");
      assertThat(receipt.getString("lane")).isEmpty();
      long replay = post("/replays", new JsonObject().put("topic", topic)).getLong("replay");
      assertThat(Arrivals.texts(arrivals.await(2))).containsExactly("once", "once");
      awaitNumber(
          "select count(*) from millrace.replay where state = 'done' and replay_id = " + replay, 1);
    }
  }

  private void awaitNumber(String query, long expected) {
    await(query)
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> stand.number(query) == expected);
  }

  private JsonObject get(String path) throws Exception {
    return send(request(path).build());
  }

  private JsonObject post(String path, JsonObject body) throws Exception {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.put("reason", "trying").encode()))
            .build());
  }

  private HttpRequest.Builder request(String path) {
    int port = node.millrace().adminPort().orElseThrow();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .header("Authorization", "Bearer " + TOKEN)
        .timeout(Duration.ofSeconds(20));
  }

  private JsonObject send(HttpRequest request) throws Exception {
    HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }
}
