package io.millrace.example.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.Uuid7;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.example.payment.FakeProvider.Mode;
import io.millrace.postgres.SchemaMigration;
import io.millrace.testkit.NodeProcess;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls to a payment provider, through crashes, undone transactions and outages. */
class ProviderIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int ATTEMPTS_MAX = 2;
  private static final String RECORDED = "select count(*) from bank.charge";

  private static DevStack stack;
  private static Connection connection;

  @TempDir Path directory;

  private FakeProvider provider;
  private NodeProcess node;

  @BeforeAll
  static void startServers() throws Exception {
    stack = DevStack.start(DevStackSpec.temporary());
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                "postgres",
                "postgres",
                "",
                "disable"),
            SchemaMigration.Layout.of(MillraceConfig.from(Map.of())))
        .migrate();
    connection = connect();
    execute(connection, BankTables.sql());
    stack.kafka().createTopic(PaymentsNode.TOPIC, 1, Map.of());
  }

  @AfterAll
  static void stopServers() throws Exception {
    connection.close();
    stack.close();
  }

  @BeforeEach
  void startProvider() throws Exception {
    execute(connection, "truncate bank.charge");
    provider = FakeProvider.start(Mode.ANSWER);
  }

  @AfterEach
  void stopAll() throws Exception {
    if (node != null) {
      node.terminate();
    }
    provider.letGo();
    provider.stop();
  }

  @Test
  void a_crash_between_the_call_and_its_record_leads_to_one_charge() throws Exception {
    provider.become(Mode.HOLD);
    node = startNode("before", provider.port());
    UUID event = pay(1_999);
    await().atMost(LIMIT).until(() -> provider.held() == 1);
    node.kill();
    provider.become(Mode.ANSWER);

    node = startNode("after", provider.port());
    await().atMost(LIMIT).until(() -> number(RECORDED) == 1);

    assertThat(provider.calls()).isEqualTo(2);
    assertThat(chargesByHttp()).isEqualTo(1);
    assertThat(
            number(
                "select count(*) from bank.charge where was_repeated and amount_cents = 1999 "
                    + "and event_id = '%s'".formatted(event)))
        .isEqualTo(1);
    assertThat(number("select count(*) from millrace.inbox_parked")).isZero();
  }

  @Test
  void what_was_answered_is_not_asked_again_when_the_transaction_fails_afterwards()
      throws Exception {
    try (Connection blocker = connect()) {
      blocker.setAutoCommit(false);
      execute(blocker, "lock table bank.charge in access exclusive mode");
      node = startNode("blocked", provider.port());
      pay(500);
      await().atMost(LIMIT).until(() -> log("blocked").contains("will be tried again"));
      assertThat(provider.calls()).isEqualTo(1);
      blocker.rollback();
    }
    await().atMost(LIMIT).until(() -> number(RECORDED) == 1);
    assertThat(provider.calls()).isEqualTo(1);
    assertThat(number(RECORDED + " where not was_repeated")).isEqualTo(1);
  }

  @Test
  void a_provider_that_is_down_parks_nothing_and_loses_nothing() throws Exception {
    int port = provider.port();
    provider.stop();
    node = startNode("down", port);
    for (int i = 1; i <= 20; i++) {
      pay(i);
    }
    await().atMost(LIMIT).until(() -> log("down").contains("cannot be reached"));
    provider = FakeProvider.startAt(port, Mode.DOWN);
    await().atMost(LIMIT).until(() -> provider.turnedAway() > 5 * ATTEMPTS_MAX);
    assertThat(number(RECORDED)).isZero();

    provider.become(Mode.ANSWER);
    await().atMost(LIMIT).until(() -> number(RECORDED) == 20);
    assertThat(provider.charges()).isEqualTo(20);
    assertThat(provider.calls()).isEqualTo(20);
    assertThat(number("select sum(amount_cents) from bank.charge")).isEqualTo(210);
    assertThat(number("select count(*) from millrace.inbox_parked")).isZero();
  }

  private NodeProcess startNode(String name, int providerPort) throws Exception {
    JsonObject config =
        new JsonObject()
            .put(
                "database",
                new JsonObject()
                    .put("host", stack.postgres().host())
                    .put("port", stack.postgres().port())
                    .put("name", "postgres")
                    .put("user", stack.postgres().user())
                    .put("ssl_mode", "disable"))
            .put(
                "kafka",
                new JsonObject().put("bootstrap_servers", stack.kafka().bootstrapServers()))
            .put(
                "inbox",
                new JsonObject()
                    .put("attempts_max", ATTEMPTS_MAX)
                    .put("lock_timeout_ms", 200)
                    .put("retry_delay_min_ms", 20)
                    .put("retry_delay_max_ms", 100)
                    .put(
                        "properties",
                        new JsonObject()
                            .put("session.timeout.ms", 6_000)
                            .put("heartbeat.interval.ms", 1_000)))
            .put("writer", new JsonObject().put("enabled", false))
            .put("relay", new JsonObject().put("enabled", false))
            .put("maintenance", new JsonObject().put("enabled", false))
            .put("admin", new JsonObject().put("enabled", false));
    Path file = Files.writeString(directory.resolve(name + ".yaml"), config.encodePrettily());
    return NodeProcess.start(
        List.of(),
        directory.resolve(name + ".log"),
        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        List.of(ChargingNode.class.getName(), file.toString(), FakeProvider.url(providerPort)));
  }

  private static UUID pay(long amountCents) throws Exception {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    UUID id = Uuid7.of(System.currentTimeMillis(), random.nextLong(), random.nextLong());
    Payment payment = new Payment(id, 7, amountCents);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(PaymentsNode.TOPIC, bytes("7"), bytes(payment.toJson().encode()));
    record.headers().add("ce_id", bytes(id.toString()));
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.kafka().bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(record).get();
    }
    return id;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private int chargesByHttp() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(FakeProvider.url(provider.port()))).build();
    String body =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    return new JsonObject(body).getInteger("charges");
  }

  private String log(String name) throws Exception {
    Path log = directory.resolve(name + ".log");
    return Files.exists(log) ? Files.readString(log) : "";
  }

  private static Connection connect() throws Exception {
    return DriverManager.getConnection(
        stack.postgres().jdbcUrl("postgres"), stack.postgres().user(), "");
  }

  private static void execute(Connection connection, String sql) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long number(String sql) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
