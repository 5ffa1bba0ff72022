package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stream of events behind the dashboard. */
@Tag("any-database")
class FeedIT {
  private static AdminStand stand;

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Stream> streams = new ArrayList<>();
  private AdminNode node;
  private String metrics;

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
  void deploy() {
    node = new AdminNode(stand, Tokens.settings());
    StatusMetrics.Kept kept = new StatusMetrics.Kept(60_000, 60_000);
    metrics =
        AdminStand.await(
            stand.vertx.deployVerticle(
                new StatusMetrics(
                    new SimpleMeterRegistry(), stand.store, AdminStand.NODE, kept, 100)));
  }

  @AfterEach
  void undeploy() {
    AdminStand.await(stand.vertx.undeploy(metrics));
    node.close();
  }

  /** A reader of the stream, and what it has read. */
  private record Stream(
      CompletableFuture<HttpResponse<Void>> answer, CopyOnWriteArrayList<String> lines) {
    List<String> events() {
      return lines.stream().filter(line -> line.startsWith("event: ")).toList();
    }

    JsonObject data(String event) {
      int at = lines.indexOf("event: " + event);
      return new JsonObject(lines.get(at + 1).substring("data: ".length()));
    }
  }

  private Stream listen(String token) {
    CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();
    Stream stream =
        new Stream(
            client.sendAsync(
                node.request("/events").header("Authorization", "Bearer " + token).build(),
                BodyHandlers.fromLineSubscriber(new LineReader(lines))),
            lines);
    streams.add(stream);
    return stream;
  }

  @Test
  void a_reader_hears_who_it_is_then_what_was_then_each_reading() {
    Stream stream = listen(Tokens.VIEWER);
    await().atMost(AdminNode.LIMIT).until(() -> stream.events().size() >= 5);

    assertThat(stream.events().subList(0, 3))
        .containsExactly("event: hello", "event: history", "event: reading");
    assertThat(stream.data("hello").getString("role")).isEqualTo("viewer");
    assertThat(stream.data("hello").getString("caller")).isEqualTo("bob");
    JsonObject reading = stream.data("reading");
    assertThat(reading.getJsonObject("shards").getJsonArray("shards")).hasSize(AdminStand.SHARDS);
    assertThat(reading.getJsonObject("partitions").getJsonArray("slots")).hasSize(4);
    assertThat(reading.getJsonObject("ready").getBoolean("ready")).isTrue();
    assertThat(reading.getJsonArray("nodes")).hasSize(1);
  }

  @Test
  void who_comes_later_is_told_what_was_before() {
    Stream first = listen(Tokens.VIEWER);
    await().atMost(AdminNode.LIMIT).until(() -> first.events().size() >= 6);
    Stream later = listen(Tokens.OPERATOR);
    await().atMost(AdminNode.LIMIT).until(() -> later.events().size() >= 2);
    assertThat(later.data("history").getJsonArray("samples")).isNotEmpty();
  }

  @Test
  void one_too_many_is_sent_away_and_a_place_that_is_left_is_given_away() throws Exception {
    for (int i = 0; i < Feed.LISTENERS_MAX; i++) {
      listen(Tokens.VIEWER);
    }
    streams.forEach(
        stream -> await().atMost(AdminNode.LIMIT).until(() -> !stream.events().isEmpty()));
    HttpResponse<String> answer = node.get("/events", Tokens.VIEWER);
    AdminNode.assertProblem(answer, 503, "Service Unavailable");
    assertThat(answer.headers().firstValue("Retry-After")).contains("60");

    streams.get(0).answer().cancel(true);
    await()
        .atMost(AdminNode.LIMIT)
        .until(
            () -> {
              Stream another = listen(Tokens.VIEWER);
              await()
                  .atMost(AdminNode.LIMIT)
                  .until(() -> another.answer().isDone() || !another.events().isEmpty());
              return !another.events().isEmpty();
            });
  }

  @Test
  void nobody_listens_without_a_token() throws Exception {
    AdminNode.assertProblem(node.get("/events"), 401, "Unauthorized");
  }

  @Test
  void streams_end_when_the_node_stops() {
    Stream stream = listen(Tokens.VIEWER);
    await().atMost(AdminNode.LIMIT).until(() -> !stream.events().isEmpty());
    node.undeploy();
    await().atMost(AdminNode.LIMIT).until(() -> stream.answer().isDone());
  }
}
