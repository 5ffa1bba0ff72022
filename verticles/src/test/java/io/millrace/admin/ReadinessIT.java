package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("any-database")
class ReadinessIT {
  private static AdminStand stand;

  private AdminNode node;

  @BeforeAll
  static void lay() throws Exception {
    stand = new AdminStand();
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @BeforeEach
  void deploy() {
    node = new AdminNode(stand);
  }

  @AfterEach
  void undeploy() {
    node.close();
  }

  @Test
  void a_node_whose_relay_and_database_answer_is_live_and_ready() throws Exception {
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
    HttpResponse<String> ready = node.get("/health/ready");
    assertThat(ready.statusCode()).isEqualTo(200);
    assertThat(new JsonObject(ready.body()))
        .isEqualTo(
            new JsonObject()
                .put("ready", true)
                .put("reasons", new JsonArray())
                .put("warnings", new JsonArray()));
  }

  @Test
  void readiness_is_red_when_the_relay_is_not_there() throws Exception {
    AdminStand.await(node.relay.unregister());
    assertNotReady("relay does not answer");
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
  }

  @Test
  void readiness_is_red_within_its_limit_when_the_relay_keeps_silent() throws Exception {
    node.relay.handler(request -> {});
    assertNotReady("relay does not answer");
  }

  @Test
  void readiness_is_red_with_the_relays_own_reasons() throws Exception {
    node.relayStatus.put("ready", false).put("reasons", new JsonArray().add("the broker is away"));
    assertNotReady("relay: the broker is away");
  }

  @Test
  void readiness_is_red_when_the_relay_fails_or_answers_nonsense() throws Exception {
    node.relay.handler(request -> request.fail(1, "no shard was ever claimed"));
    assertNotReady("relay: no shard was ever claimed");
    node.relay.handler(request -> request.reply("fine"));
    assertThat(node.get("/health/ready").body())
        .contains("relay answers with something other than a status");
  }

  /** Direct: a pooler lets requests wait where a server that is down refuses them. */
  @Test
  @Tag("direct")
  void an_outage_of_the_database_turns_readiness_red_and_its_end_green_again() throws Exception {
    stand.server.stop();
    HttpResponse<String> red = node.get("/health/ready");
    assertThat(red.statusCode()).isEqualTo(503);
    assertThat(red.body()).contains("the database: read_installation");
    HttpResponse<String> page = node.get("/partitions");
    AdminNode.assertProblem(page, 503, "Service Unavailable");
    assertThat(page.body()).contains("the ring's status: read_ring_status").doesNotContain("\\tat");
    AdminNode.assertProblem(node.get("/shards"), 503, "Service Unavailable");
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
    assertThat(node.get("/metrics").statusCode()).isEqualTo(200);
    stand.server.restart();
    await().atMost(AdminNode.LIMIT).until(() -> node.get("/health/ready").statusCode() == 200);
    assertThat(node.get("/partitions").statusCode()).isEqualTo(200);
  }

  @Test
  void a_database_that_hangs_turns_readiness_red_within_its_limit() throws Exception {
    assertThat(node.get("/health/ready").statusCode()).isEqualTo(200);
    stand.server.pause();
    try {
      assertNotReady("the database did not answer within 1000 ms");
    } finally {
      stand.server.resume();
    }
    await().atMost(AdminNode.LIMIT).until(() -> node.get("/health/ready").statusCode() == 200);
  }

  private void assertNotReady(String reason) throws Exception {
    long startedAt = System.nanoTime();
    HttpResponse<String> answer = node.get("/health/ready");
    assertThat(Duration.ofNanos(System.nanoTime() - startedAt))
        .isLessThan(AdminNode.LIMIT.dividedBy(4));
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(new JsonObject(answer.body()))
        .isEqualTo(
            new JsonObject()
                .put("ready", false)
                .put("reasons", new JsonArray().add(reason))
                .put("warnings", new JsonArray()));
  }
}
