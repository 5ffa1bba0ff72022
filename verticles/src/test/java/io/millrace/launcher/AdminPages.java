package io.millrace.launcher;

import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** What an operator sees of one node. */
public final class AdminPages {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final int port;

  public AdminPages(int port) {
    this.port = port;
  }

  /** An answer of {@code /health/ready}. */
  public record Ready(int status, JsonArray reasons, JsonArray warnings) {
    public boolean isReady() {
      return status == 200;
    }

    public boolean tells(String part) {
      return status == 503 && reasons.stream().anyMatch(r -> String.valueOf(r).contains(part));
    }
  }

  public Ready ready() {
    HttpResponse<String> answer = get("/health/ready");
    JsonObject body = new JsonObject(answer.body());
    return new Ready(
        answer.statusCode(), body.getJsonArray("reasons"), body.getJsonArray("warnings"));
  }

  public JsonObject shard(int number) {
    return new JsonObject(get("/shards").body()).getJsonArray("shards").getJsonObject(number);
  }

  public JsonArray slots() {
    return new JsonObject(get("/partitions").body()).getJsonArray("slots");
  }

  public JsonObject replay(long number) {
    JsonArray replays = new JsonObject(get("/replays").body()).getJsonArray("replays");
    return replays.stream()
        .map(JsonObject.class::cast)
        .filter(replay -> replay.getLong("replay") == number)
        .findFirst()
        .orElseThrow();
  }

  public JsonObject inbox() {
    return new JsonObject(get("/inbox").body());
  }

  /** The lines of one metric. */
  public List<String> metric(String name) {
    return get("/metrics").body().lines().filter(line -> line.startsWith(name)).toList();
  }

  public void awaitReady() {
    awaitReadiness("ready", Ready::isReady);
  }

  /** Waits until readiness is red with a reason that contains the text. */
  public void awaitReason(String part) {
    awaitReadiness("a reason with \"" + part + "\"", ready -> ready.tells(part));
  }

  private void awaitReadiness(String what, Predicate<Ready> condition) {
    await(what)
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(this::ready, condition);
  }

  private HttpResponse<String> get(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(20))
            .build();
    try {
      return CLIENT.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking for " + path, e);
    }
  }
}
