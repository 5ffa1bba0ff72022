package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.client.Command;
import io.millrace.client.CommandClient;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandResult;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.PgBouncerServer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node behind a PgBouncer of the shipped configuration, with {@value #SESSIONS} sessions of the
 * server for all of its connections, so that every session goes from hand to hand.
 */
@Tag("any-database")
class PoolerIT {
  private static final DevStack stack = SharedStack.get();
  private static final Path SHIPPED = Path.of("..", "conf", "pgbouncer", "pgbouncer.ini");
  private static final int SESSIONS = 4;
  private static final int ORDERS = 20;

  private Stand stand;
  private PgBouncerServer pooler;
  private String topic;

  @TempDir Path directory;

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    topic = "pooler-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    startPooler(Map.of());
    stand.sql(
        "create table orders (id text primary key, status text not null)",
        "create table applied (message_id uuid, payload text)");
  }

  private void startPooler(Map<String, String> own) throws Exception {
    Map<String, String> settings = new HashMap<>(own);
    settings.put("default_pool_size", Integer.toString(SESSIONS));
    pooler = PgBouncerServer.start(stack.postgres(), Files.readString(SHIPPED), settings);
  }

  @AfterEach
  void end() {
    stand.close();
    pooler.close();
  }

  private Map<String, Object> through(Map<String, ?> own) {
    return stand.through(pooler, own);
  }

  @Test
  void commands_appends_relay_and_consumer_work_with_few_sessions() throws Exception {
    Stand.Node node =
        stand.start(
            through(Map.of("inbox.retention_check", "warn")),
            builder ->
                builder
                    .withCommand(new Place(topic))
                    .withConsumer(
                        InboxConsumer.of("pooled", List.of(topic), PoolerIT::applyAndCall)));
    Pool pool = node.millrace().pool();

    List<Future<?>> writes = new ArrayList<>();
    for (int i = 0; i < ORDERS; i++) {
      writes.add(order(node, pool, "o-" + i));
    }
    Stand.await(Future.all(writes));

    List<String> expected =
        IntStream.range(0, ORDERS)
            .boxed()
            .flatMap(
                i -> List.of("placed", "packed", "sent", "paid").stream().map(e -> e + " o-" + i))
            .toList();
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      List<String> arrived = arrivals.awaitPayloads(expected);
      assertThat(arrived).containsExactlyInAnyOrderElementsOf(expected);
      for (int i = 0; i < ORDERS; i++) {
        String id = " o-" + i;
        assertThat(arrived.stream().filter(text -> text.endsWith(id)))
            .containsExactly("placed" + id, "packed" + id, "sent" + id, "paid" + id);
      }
    }
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from applied") >= expected.size());
    assertThat(stand.number("select count(distinct payload) from applied"))
        .isEqualTo(stand.number("select count(*) from applied"))
        .isEqualTo(expected.size());
    assertThat(stand.number("select count(*) from millrace.effect where event = 'finished'"))
        .isEqualTo(expected.size());
    node.pages().awaitReady();
    assertThat(sessions()).isBetween(1L, (long) SESSIONS);
  }

  /** By a command, by one append of two, and by the statement that changes and appends. */
  private Future<?> order(Stand.Node node, Pool pool, String id) {
    return node.millrace()
        .commands()
        .send("place", CommandClient.newCommandId(), new JsonObject().put("id", id))
        .compose(
            placed ->
                pool.withTransaction(
                    connection ->
                        node.millrace()
                            .outbox()
                            .append(
                                connection,
                                message(topic, id, "packed"),
                                message(topic, id, "sent"))))
        .onSuccess(node.millrace().outbox()::nudge)
        .compose(
            appended ->
                pool.preparedQuery(
                        "with paid as (update orders set status = 'paid' where id = $1 and status = 'placed' returning id)"
                            + " select a.message from paid, millrace.append($2, 'order', paid.id, 'paid',"
                            + " convert_to('paid ' || paid.id, 'UTF8')) a")
                    .execute(Tuple.of(id, topic)))
        .onSuccess(rows -> assertThat(rows.size()).isEqualTo(1));
  }

  private static NewMessage message(String topic, String id, String event) {
    return NewMessage.of(topic, "order", id, event, Payload.of(event + " " + id));
  }

  /** Places an order and says so, in the transaction of the command. */
  private record Place(String topic) implements Command {
    @Override
    public String name() {
      return "place";
    }

    @Override
    public Future<CommandResult> run(CommandContext context) {
      String id = context.arguments().getString("id");
      return context
          .connection()
          .preparedQuery("insert into orders values ($1, 'placed')")
          .execute(Tuple.of(id))
          .compose(placed -> context.nextRevision("order", id, OptionalLong.empty()))
          .compose(revision -> context.append(message(topic, id, "placed").withRevision(revision)))
          .map(appended -> CommandResult.empty());
    }
  }

  private static Future<Void> applyAndCall(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery("insert into applied values ($1, $2)")
        .execute(Tuple.of(message.messageId(), message.payloadText()))
        .compose(
            applied ->
                context.once(
                    message, "call", key -> Future.succeededFuture(Buffer.buffer(key.text()))))
        .mapEmpty();
  }

  private long sessions() throws Exception {
    return stand.number(
        "select count(*) from pg_stat_activity where datname = current_database()"
            + " and application_name like 'millrace-%'");
  }

  @Test
  void the_ring_grows_turns_is_truncated_and_shrinks() throws Exception {
    Stand.Node node =
        stand.start(
            through(
                Map.of(
                    "maintenance.interval_ms", 50,
                    "maintenance.slot_age_max_ms", 100,
                    "maintenance.retention_ms", 3_000,
                    "maintenance.slots_max", 6,
                    "maintenance.slot_surplus_after_ms", 500,
                    "maintenance.lock_timeout_ms", 100)));
    int[] appended = new int[1];
    await("a ring that has grown, and a slot truncated")
        .atMost(Stand.LIMIT)
        .pollInSameThread()
        .until(
            () -> {
              stand.sql(Stand.append(topic, "o-1", "n" + appended[0]++));
              return stand.number("select count(*) from millrace.slot") > Stand.SLOTS
                  && stand.number(
                          "select count(*) from millrace.slot where truncated_at is not null")
                      > 0;
            });

    await("a ring that has shrunk")
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.slot") == Stand.SLOTS);
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      assertThat(Arrivals.texts(arrivals.await(appended[0])))
          .isEqualTo(IntStream.range(0, appended[0]).mapToObj(n -> "n" + n).toList());
    }
    node.pages().awaitReady();
  }

  @Test
  void a_pooler_that_nobody_told_of_is_refused_at_the_start() throws Exception {
    Map<String, Object> untold = through(Map.of("database.pooler", "none"));
    assertThatThrownBy(() -> stand.start(untold))
        .hasMessageContaining(
            "127.0.0.1:" + pooler.port() + " refuses settings that PostgreSQL knows")
        .hasMessageContaining("set database.pooler to transaction");

    pooler.close();
    startPooler(Map.of("ignore_startup_parameters", "extra_float_digits, statement_timeout"));
    assertThatThrownBy(() -> stand.start(through(Map.of("database.pooler", "none"))))
        .hasMessageContaining(
            "database.pooler is none, and what answers at 127.0.0.1:"
                + pooler.port()
                + " is a connection pooler: set database.pooler to transaction");
    assertThat(stand.number("select count(*) from millrace.node")).isZero();
  }

  @Test
  void commands_go_past_the_pooler_and_say_so_when_they_cannot() throws Exception {
    for (List<String> command : commands()) {
      assertThat(outcome(command, through(Map.of("database.direct_port", 0))))
          .as("%s without a way past the pooler", command)
          .contains(command.get(0) + " needs a session of the server's own")
          .contains("neither database.direct_host nor database.direct_port is set");
      assertThat(outcome(command, through(Map.of("database.direct_port", pooler.port()))))
          .as("%s with a way that leads to the pooler", command)
          .contains("127.0.0.1:" + pooler.port() + " is a connection pooler")
          .contains("database.direct_host");
    }
    MillraceConfig config = MillraceConfig.from(stand.config(through(Map.of())));
    assertThat(MigrateCommand.migrate(config).executed()).isZero();
  }

  private static List<List<String>> commands() {
    List<String> signed = List.of("--actor", "ann", "--reason", "a test");
    List<List<String>> commands = new ArrayList<>(List.of(List.of("migrate")));
    for (String name : List.of("rebase", "confirm-server")) {
      List<String> command = new ArrayList<>(List.of(name));
      command.addAll(signed);
      commands.add(command);
    }
    return commands;
  }

  /** What a person sees of a command that fails, run as one would. */
  private String outcome(List<String> command, Map<String, Object> own) throws Exception {
    Path config = Stand.writeConfig(directory.resolve("millrace.yaml"), stand.config(own));
    List<String> line = new ArrayList<>(command);
    line.addAll(List.of("--config", config.toString()));
    try (MainProcess process =
        MainProcess.start(directory.resolve("command.log"), line.toArray(String[]::new))) {
      assertThat(process.exitCode()).isEqualTo(1);
      return process.output();
    }
  }
}
