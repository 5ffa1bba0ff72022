package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.Addresses;
import io.millrace.core.config.MillraceConfig;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** An admin verticle that listens, beside a relay that says what the test tells it to. */
final class AdminNode implements AutoCloseable {
  static final long RETENTION_MS = 3_600_000;
  static final Duration LIMIT = Duration.ofSeconds(20);

  final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  final MessageConsumer<JsonObject> relay;
  final JsonObject relayStatus = new JsonObject().put("ready", true);

  private final HttpClient client = HttpClient.newHttpClient();
  private final AdminStand stand;
  private final AdminVerticle admin;
  private final String deployment;

  AdminNode(AdminStand stand) {
    this(stand, Map.of());
  }

  /**
   * @param settings by dotted key, over the defaults
   */
  AdminNode(AdminStand stand, Map<String, ?> settings) {
    this(stand, settings, stand.stores);
  }

  /**
   * @param stores of a role that may do less, for example
   */
  AdminNode(AdminStand stand, Map<String, ?> settings, AdminSources.Stores stores) {
    this.stand = stand;
    String address = Addresses.relayStatus(AdminStand.NODE);
    this.relay = stand.vertx.eventBus().consumer(address);
    AdminStand.await(relay.handler(request -> request.reply(relayStatus.copy())).completion());
    List<StatusSource> statuses = List.of(new StatusSource("relay", address));
    Map<String, Object> all = new HashMap<>(settings);
    all.put("admin.port", 0);
    this.admin = verticle(all, sources(stand, stores, registry::scrape, statuses, all));
    this.deployment = AdminStand.await(stand.vertx.deployVerticle(admin));
  }

  static AdminVerticle verticle(
      AdminStand stand, int port, List<StatusSource> statuses, Supplier<String> metrics) {
    return verticle(stand, Map.of("admin.port", port), statuses, metrics);
  }

  static AdminVerticle verticle(
      AdminStand stand,
      Map<String, ?> settings,
      List<StatusSource> statuses,
      Supplier<String> metrics) {
    return verticle(settings, sources(stand, stand.stores, metrics, statuses, settings));
  }

  private static AdminSources sources(
      AdminStand stand,
      AdminSources.Stores stores,
      Supplier<String> metrics,
      List<StatusSource> statuses,
      Map<String, ?> settings) {
    Map<String, String> printable = MillraceConfig.from(settings).printable();
    return new AdminSources(stand.store, stores, metrics, statuses, printable);
  }

  private static AdminVerticle verticle(Map<String, ?> settings, AdminSources sources) {
    return new AdminVerticle(
        MillraceConfig.from(settings).admin(), sources, AdminStand.NODE, RETENTION_MS);
  }

  int port() {
    return admin.actualPort();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).build());
  }

  HttpResponse<String> get(String path, String token) throws IOException, InterruptedException {
    return send(request(path).header("Authorization", "Bearer " + token).build());
  }

  HttpResponse<String> post(String path, String token, String body)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  JsonObject page(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return new JsonObject(answer.body());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path)).timeout(LIMIT);
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  static void assertProblem(HttpResponse<String> answer, int status, String title) {
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    JsonObject problem = new JsonObject(answer.body());
    assertThat(problem.getInteger("status")).isEqualTo(status);
    assertThat(problem.getString("title")).isEqualTo(title);
    assertThat(problem.getString("type")).isEqualTo("about:blank");
    assertThat(problem.getString("detail")).isNotBlank();
  }

  /** One whole request on a connection that stays open. */
  static void live(RawHttp connection) throws IOException {
    connection.send("GET /health/live HTTP/1.1", "Host: localhost");
    assertThat(connection.answer()).startsWith("HTTP/1.1 200 ");
  }

  void undeploy() {
    if (stand.vertx.deploymentIDs().contains(deployment)) {
      AdminStand.await(stand.vertx.undeploy(deployment));
    }
  }

  @Override
  public void close() {
    AdminStand.await(relay.unregister());
    undeploy();
  }
}
