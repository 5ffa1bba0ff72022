package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminIT {
  private static AdminStand stand;

  private AdminNode node;

  @BeforeAll
  static void lay() throws Exception {
    stand = new AdminStand();
    stand.claimTwoShards();
    stand.sql(
        "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)"
            + " select shard, 1, 1, pg_current_snapshot(), 0, 0, 0 from millrace.shard",
        "select a.* from generate_series(1, 40) n,"
            + " millrace.append('orders', 'order', n::text, 'placed', '\\x00ff') a",
        "update millrace.slot set state = 'draining', closed_xid = '100', closed_at = now(),"
            + " postponed = 'shard 2 has no receipt' where slot = 1",
        "update millrace.slot set state = 'published', closed_xid = '100',"
            + " published_at = '2026-03-01T11:00:00+01' where slot = 2");
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
  void the_ring_is_shown_with_every_field_of_every_slot() throws Exception {
    HttpResponse<String> answer = node.get("/partitions");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    JsonObject page = new JsonObject(answer.body());
    assertThat(page.getInteger("current")).isZero();
    assertThat(page.getJsonArray("slots")).hasSize(4);
    JsonObject hot = page.getJsonArray("slots").getJsonObject(0);
    assertThat(hot.fieldNames())
        .containsExactly(
            "slot",
            "state",
            "current",
            "rows",
            "rows_counted",
            "dead_rows",
            "bytes",
            "oldest_at",
            "newest_at",
            "closed_at",
            "published_at",
            "last_vacuum_at",
            "why_not_cleaned");
    assertThat(hot.getString("state")).isEqualTo("hot");
    assertThat(hot.getBoolean("current")).isTrue();
    assertThat(hot.getLong("rows")).isEqualTo(40);
    assertThat(hot.getBoolean("rows_counted")).isTrue();
    assertThat(hot.getLong("dead_rows")).isZero();
    assertThat(hot.getLong("bytes")).isPositive();
    assertThat(Instant.parse(hot.getString("oldest_at")))
        .isBeforeOrEqualTo(Instant.parse(hot.getString("newest_at")));
    assertThat(hot.getString("why_not_cleaned")).isEqualTo("receives new messages");
  }

  @Test
  void each_slot_says_why_it_is_not_cleaned() throws Exception {
    JsonArray slots = node.page("/partitions").getJsonArray("slots");
    assertThat(slots.getJsonObject(1).getString("why_not_cleaned"))
        .isEqualTo("shard 2 has no receipt");
    assertThat(slots.getJsonObject(2).getString("published_at")).isEqualTo("2026-03-01T10:00:00Z");
    assertThat(slots.getJsonObject(2).getString("why_not_cleaned"))
        .isEqualTo("kept until 2026-03-01T11:00:00Z (retention 3600000 ms)");
    assertThat(slots.getJsonObject(3).containsKey("why_not_cleaned")).isTrue();
    assertThat(slots.getJsonObject(3).getString("why_not_cleaned")).isNull();
    assertThat(slots.getJsonObject(3).getString("state")).isEqualTo("free");
  }

  @Test
  void the_shards_are_shown_with_what_this_nodes_relay_says_of_its_own() throws Exception {
    node.relayStatus.put(
        "shards",
        new JsonArray()
            .add(new JsonObject().put("shard", 0).put("state", "waiting").put("reason", "broker"))
            .add(new JsonObject().put("shard", 2).put("state", "reading").putNull("reason")));
    JsonArray shards = node.page("/shards").getJsonArray("shards");
    assertThat(shards).hasSize(AdminStand.SHARDS);
    JsonObject own = shards.getJsonObject(0);
    assertThat(own.fieldNames())
        .containsExactly(
            "shard",
            "owner",
            "node",
            "epoch",
            "paused",
            "head",
            "sweeping",
            "published_at",
            "backlog",
            "lag_ms",
            "parked",
            "lanes",
            "state",
            "reason");
    assertThat(own.getString("owner")).isEqualTo(AdminStand.NODE_ID.toString());
    assertThat(own.getString("node")).isEqualTo(AdminStand.NODE);
    assertThat(own.getLong("epoch")).isPositive();
    assertThat(own.getLong("lag_ms")).isPositive();
    assertThat(own.getString("state")).isEqualTo("waiting");
    assertThat(own.getString("reason")).isEqualTo("broker");
    assertThat(shards.getJsonObject(1).getString("reason"))
        .isEqualTo("this node's relay gave no status of it");
    // The database names no owner: a relay that claims it is not believed.
    assertThat(shards.getJsonObject(2).getString("state")).isNull();
    assertThat(shards.stream().mapToLong(s -> ((JsonObject) s).getLong("backlog")).sum())
        .isEqualTo(40);
  }

  @Test
  void many_who_ask_at_once_share_one_statement() throws Exception {
    List<RawHttp> askers = new ArrayList<>();
    try (Connection connection = stand.connect();
        Statement lock = connection.createStatement();
        RawHttp last = new RawHttp(node.port())) {
      for (int i = 0; i < 20; i++) {
        RawHttp asker = new RawHttp(node.port());
        askers.add(asker);
        AdminNode.live(asker);
      }
      connection.setAutoCommit(false);
      lock.execute("lock table millrace.slot in access exclusive mode");
      for (RawHttp asker : askers) {
        asker.send("GET /partitions HTTP/1.1", "Host: localhost");
      }
      // Twice: the first may overtake requests that are read in the same turn of the loop.
      AdminNode.live(last);
      AdminNode.live(last);
      await().atMost(AdminNode.LIMIT).until(() -> waitingStatements(lock) > 0);
      assertThat(waitingStatements(lock)).isEqualTo(1);
      connection.rollback();
      for (RawHttp asker : askers) {
        assertThat(asker.answer()).startsWith("HTTP/1.1 200 ");
      }
    } finally {
      for (RawHttp asker : askers) {
        asker.close();
      }
    }
  }

  @Test
  void metrics_come_as_prometheus_text() throws Exception {
    node.registry.counter("millrace.tried").increment();
    HttpResponse<String> answer = node.get("/metrics");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.body()).contains("millrace_tried_total 1.0");
  }

  @Test
  void a_failure_of_the_metrics_is_a_problem_that_names_them_and_no_more() throws Exception {
    Supplier<String> broken =
        () -> {
          throw new IllegalStateException("inner workings");
        };
    AdminVerticle other = AdminNode.verticle(stand, 0, List.of(), broken);
    String deployment = AdminStand.await(stand.vertx.deployVerticle(other));
    try (RawHttp raw = new RawHttp(other.actualPort())) {
      raw.send("GET /metrics HTTP/1.1", "Host: localhost", "Connection: close");
      assertThat(raw.rest())
          .startsWith("HTTP/1.1 503 ")
          .contains("application/problem+json", "the metrics failed: IllegalStateException")
          .doesNotContain("inner workings");
    }
    AdminStand.await(stand.vertx.undeploy(deployment));
  }

  @Test
  void a_stop_ends_idle_connections_and_frees_the_port() throws Exception {
    int port = node.port();
    try (RawHttp idle = new RawHttp(port)) {
      AdminNode.live(idle);
      node.undeploy();
      assertThat(idle.isEnded()).isTrue();
      assertThatThrownBy(() -> new RawHttp(port)).isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void a_port_in_use_stops_the_start() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      AdminVerticle second = AdminNode.verticle(stand, taken.getLocalPort(), List.of(), () -> "");
      assertThatThrownBy(() -> AdminStand.await(stand.vertx.deployVerticle(second)))
          .hasRootCauseInstanceOf(BindException.class);
      assertThatThrownBy(second::actualPort).isInstanceOf(IllegalStateException.class);
    }
  }

  private static int waitingStatements(Statement statement) throws Exception {
    try (ResultSet rows =
        statement.executeQuery(
            "select count(*) from pg_stat_activity"
                + " where application_name = 'millrace-admin-it' and wait_event_type = 'Lock'")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
