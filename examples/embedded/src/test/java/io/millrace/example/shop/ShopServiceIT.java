package io.millrace.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.CommandClient;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.FreePorts;
import io.millrace.postgres.SchemaMigration;
import io.millrace.testkit.NodeProcess;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application as its README runs it: a process, its configuration file, requests, SIGTERM. */
@Tag("any-database")
class ShopServiceIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long DAY_MS = 86_400_000;

  @TempDir Path directory;

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port = FreePorts.pick();

  @Test
  void an_order_is_placed_once_and_shipped_once_however_often_it_is_sent() throws Exception {
    try (DevStack stack = DevStack.start(DevStackSpec.temporary())) {
      lay(stack);
      Path log = directory.resolve("shop.log");
      try (NodeProcess shop =
          NodeProcess.start(
              List.of(),
              log,
              List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
              List.of(
                  ShopService.class.getName(), config(stack).toString(), String.valueOf(port)))) {
        await(ShopService.RUNS)
            .atMost(LIMIT)
            .until(() -> Files.readString(log), text -> text.contains(ShopService.RUNS));
        use();
        shop.terminate();
        assertThat(Files.readString(log))
            .contains("shop has stopped")
            .doesNotContain("not stopped");
      }
    }
  }

  private void use() throws Exception {
    UUID order = CommandClient.newCommandId();
    JsonObject placed = new JsonObject().put("customer", "ada").put("cents", 60_000);
    assertThat(put(order, placed).body()).contains("\"repeated\":false");
    assertThat(put(order, placed).body()).contains("\"repeated\":true");
    await("shipped").atMost(LIMIT).until(() -> get(order).getLong("shipments") > 0);
    assertThat(get(order)).isEqualTo(new JsonObject().put("placed", true).put("shipments", 1));

    HttpResponse<String> beyondCredit = put(CommandClient.newCommandId(), placed);
    assertThat(beyondCredit.statusCode()).isEqualTo(409);
    assertThat(beyondCredit.body()).contains("ada has no credit for 60000");
    HttpResponse<String> changed = put(order, placed.copy().put("cents", 1));
    assertThat(changed.statusCode()).isEqualTo(400);
    HttpResponse<String> wrong =
        put(CommandClient.newCommandId(), new JsonObject().put("cents", 0));
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("customer must be a text");
  }

  private void lay(DevStack stack) throws Exception {
    stack.kafka().createTopic(PlaceOrder.TOPIC, 1, Map.of());
    stack.postgres().createDatabase("shop");
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                "shop",
                stack.postgres().user(),
                "",
                "disable"),
            new SchemaMigration.Layout(32, 1_000_000, 4, DAY_MS, 30 * DAY_MS, 3))
        .migrate();
    try (Connection connection =
            DriverManager.getConnection(
                stack.postgres().jdbcUrl("shop"), stack.postgres().user(), "");
        Statement statement = connection.createStatement()) {
      statement.execute(Sql.read("tables.sql"));
    }
  }

  /** The shipped file, with the servers of this test. */
  private Path config(DevStack stack) throws Exception {
    String text =
        Files.readString(Path.of("shop.yaml"))
            .replace("port: 5432", "port: " + stack.postgres().port())
            .replace("user: shop", "user: " + stack.postgres().user())
            .replace("127.0.0.1:9092", stack.kafka().bootstrapServers());
    return Files.writeString(directory.resolve("shop.yaml"), text + "admin:\n  port: 0\n");
  }

  private HttpResponse<String> put(UUID order, JsonObject body) throws Exception {
    return http.send(
        request(order).PUT(BodyPublishers.ofString(body.encode())).build(),
        BodyHandlers.ofString());
  }

  private JsonObject get(UUID order) throws Exception {
    return new JsonObject(http.send(request(order).build(), BodyHandlers.ofString()).body());
  }

  private HttpRequest.Builder request(UUID order) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders/" + order))
        .timeout(LIMIT);
  }
}
