package io.millrace.example.order;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The state of the ring in a few words, from the admin API. */
final class RingLine {
  private static final long WAIT_S = 2;

  private final HttpClient client;
  private final int port;

  RingLine(Vertx vertx, int port) {
    this.client = vertx.createHttpClient();
    this.port = port;
  }

  String read() {
    Future<JsonObject> partitions =
        client
            .request(HttpMethod.GET, port, "127.0.0.1", "/partitions")
            .compose(request -> request.send())
            .compose(HttpClientResponse::body)
            .map(body -> body.toJsonObject());
    try {
      return "ring: "
          + states(
              partitions.toCompletionStage().toCompletableFuture().get(WAIT_S, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    } catch (Exception e) {
      return "ring: no answer";
    }
  }

  private static String states(JsonObject partitions) {
    Map<String, Integer> counts = new TreeMap<>();
    JsonArray slots = partitions.getJsonArray("slots");
    for (int i = 0; i < slots.size(); i++) {
      counts.merge(slots.getJsonObject(i).getString("state"), 1, Integer::sum);
    }
    StringBuilder text = new StringBuilder();
    counts.forEach(
        (state, count) ->
            text.append(text.isEmpty() ? "" : ", ").append(count).append(' ').append(state));
    return text.toString();
  }
}
