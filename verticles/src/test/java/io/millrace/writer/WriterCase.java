package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Command;
import io.millrace.client.CommandClient;
import io.millrace.client.CommandFailure;
import io.millrace.client.CommandFailure.Kind;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandReply;
import io.millrace.client.CommandResult;
import io.millrace.core.config.WriterConfig;
import io.millrace.core.message.MessageRules;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A writer on a real database, for the tests that extend it. */
class WriterCase {

  static final CommandResult NOTHING = CommandResult.empty();

  static Vertx vertx;
  static CommandClient client;
  static AppDatabase database;

  final UUID id = CommandClient.newCommandId();
  final JsonObject arguments = new JsonObject().put("id", "1");
  final List<String> deployed = new ArrayList<>();
  private final List<Pool> pools = new ArrayList<>();

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
    client = new CommandClient(vertx, 20_000);
    database = AppDatabase.start(vertx);
  }

  @AfterAll
  static void stop() {
    database.close();
    await(vertx.close());
  }

  @BeforeEach
  void empty() {
    database.empty();
  }

  @AfterEach
  void undeploy() {
    deployed.forEach(each -> await(vertx.undeploy(each)));
    // Every command has given its transaction up, and every pool gets all of its connections back.
    assertThat(sessionsInTransaction()).isZero();
    pools.forEach(each -> await(each.close()));
  }

  void deploy(Command... commands) {
    deploy(database.app(4), config(10_000), commands);
  }

  void deploy(Pool pool, WriterConfig config, Command... commands) {
    pools.add(pool);
    WriterVerticle writer =
        new WriterVerticle(
            pool, List.of(commands), config, new MessageRules(AppDatabase.PAYLOAD_BYTES_MAX));
    deployed.add(await(vertx.deployVerticle(writer)));
  }

  static WriterConfig config(long commandTimeoutMs) {
    return new WriterConfig(true, commandTimeoutMs, 2, 7);
  }

  CommandReply send(String name) {
    return await(client.send(name, id, arguments));
  }

  static Command counted(AtomicInteger runs, Command command) {
    return Commands.of(
        command.name(),
        context -> {
          runs.incrementAndGet();
          return command.run(context);
        });
  }

  static long sessionsInTransaction() {
    return database.count("pg_stat_activity where usename = 'shop' and xact_start is not null");
  }

  static void assertNothingWasDone() {
    assertThat(database.count("public.orders")).isZero();
    assertThat(database.count("millrace.outbox")).isZero();
    assertThat(database.count("millrace.revision")).isZero();
  }

  static void assertRefused(ThrowingCallable call, String code, String text) {
    assertThatThrownBy(call)
        .isInstanceOf(CommandRefused.class)
        .hasMessageContaining(text)
        .satisfies(failure -> assertThat(((CommandRefused) failure).code()).isEqualTo(code));
  }

  static void assertFails(ThrowingCallable call, Kind kind, String text) {
    assertThatThrownBy(call)
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining(text)
        .satisfies(failure -> assertThat(((CommandFailure) failure).kind()).isEqualTo(kind));
  }

  static void awaitUntil(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .until(condition);
  }
}
