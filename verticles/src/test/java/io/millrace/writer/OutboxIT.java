package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Addresses;
import io.millrace.client.Nudge;
import io.millrace.client.Outbox;
import io.millrace.core.message.Appended;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.Uuid7;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.DatabaseException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Everything here is done by a login that is granted millrace_writer and nothing else of Millrace.
 */
class OutboxIT {
  private static final Vertx VERTX = Vertx.vertx();
  private static final String ASTRAL = "\uD83D\uDE80";

  private static AppDatabase database;
  private static Pool app;

  private final Outbox outbox =
      Outbox.create(VERTX, new MessageRules(AppDatabase.PAYLOAD_BYTES_MAX));

  @BeforeAll
  static void start() {
    database = AppDatabase.start(VERTX);
    app = database.app(8);
  }

  @AfterAll
  static void stop() {
    await(app.close());
    database.close();
    await(VERTX.close());
  }

  @BeforeEach
  void empty() {
    database.empty();
  }

  @Test
  void a_commit_leaves_the_change_and_its_message() {
    List<Appended> appended = await(inTransaction(c -> changeAndAppend(c, "1")));

    List<Row> rows = database.admin("select id, message_id, shard from millrace.outbox");
    assertThat(rows)
        .extracting(row -> new Appended(row.getLong(0), row.getUUID(1), row.getInteger(2)))
        .isEqualTo(appended);
    assertThat(database.count("public.orders")).isEqualTo(1);
  }

  @Test
  void a_rollback_leaves_neither() {
    Future<?> failing =
        inTransaction(c -> changeAndAppend(c, "1").compose(v -> Future.failedFuture(new Undo())));

    assertThatThrownBy(() -> await(failing)).isInstanceOf(Undo.class);
    assertThat(database.count("millrace.outbox")).isZero();
    assertThat(database.count("public.orders")).isZero();
  }

  @Test
  void of_many_transactions_exactly_the_committed_ones_leave_a_message() {
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      boolean commits = i % 3 != 0;
      String id = Integer.toString(i);
      ends.add(
          inTransaction(
                  c ->
                      changeAndAppend(c, id)
                          .compose(
                              v ->
                                  commits
                                      ? Future.succeededFuture()
                                      : Future.failedFuture(new Undo())))
              .otherwiseEmpty());
    }
    await(Future.join(ends));

    assertThat(database.count("public.orders")).isEqualTo(66);
    assertThat(
            database.count(
                "public.orders o full join millrace.outbox m on m.aggregate_id = o.id"
                    + " where o.id is null or m.aggregate_id is null"))
        .isZero();
    assertThat(database.count("millrace.outbox")).isEqualTo(66);
  }

  @Test
  void ids_come_back_in_the_order_given_for_a_thousand_messages() {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      messages.add(message("order-" + i * 7_919 % 1_000).withRevision(i).withHeader("n", "v" + i));
    }

    List<Appended> appended = await(inTransaction(c -> outbox.append(c, messages)));

    List<Row> rows =
        database.admin(
            "select id, message_id, shard, aggregate_id, headers from millrace.outbox"
                + " order by revision");
    assertThat(appended).hasSize(1_000).extracting(Appended::messageId).doesNotHaveDuplicates();
    assertThat(appended).allMatch(message -> Uuid7.isUuid7(message.messageId()));
    assertThat(appended).isSortedAccordingTo((a, b) -> Long.compare(a.id(), b.id()));
    for (int i = 0; i < 1_000; i++) {
      Row row = rows.get(i);
      assertThat(new Appended(row.getLong(0), row.getUUID(1), row.getInteger(2)))
          .isEqualTo(appended.get(i));
      assertThat(row.getString(3)).isEqualTo(messages.get(i).aggregateId());
      assertThat(row.getArrayOfStrings(4)).containsExactly("n", "v" + i);
    }
  }

  @Test
  void payloads_arrive_as_they_were_given() {
    byte[] every = new byte[256];
    for (int i = 0; i < 256; i++) {
      every[i] = (byte) i;
    }
    NewMessage tombstone = NewMessage.of("t", "order", "1", "gone", null);
    NewMessage none = NewMessage.of("t", "order", "2", "none", Payload.of(new byte[0]));
    NewMessage binary = NewMessage.of("t", "order", "3", "binary", Payload.of(every));
    NewMessage text =
        NewMessage.of("t", "order", "4", "text", Payload.of("\0" + ASTRAL + "\uD83D"));

    await(inTransaction(c -> outbox.append(c, tombstone, none, binary, text)));

    assertThat(database.admin("select payload from millrace.outbox order by id"))
        .extracting(row -> row.getBuffer(0))
        .containsExactly(
            null,
            Buffer.buffer(),
            Buffer.buffer(every),
            Buffer.buffer(Payload.of("\0" + ASTRAL + "\uD83D").bytes()));
  }

  @Test
  void every_field_arrives_as_it_was_given() {
    UUID id = Uuid7.of(System.currentTimeMillis(), 1, 2);
    NewMessage full =
        message("ключ " + ASTRAL)
            .withMessageId(id)
            .withRevision(Long.MAX_VALUE)
            .withMessageKey("k'\"\\")
            .withSchemaVersion("1.0")
            .withContentType("application/x")
            .withResolver("feature");

    await(inTransaction(c -> outbox.append(c, full, message("plain"))));

    List<Row> rows =
        database.admin(
            "select message_id, aggregate_type, aggregate_id, revision, topic, message_key,"
                + " event_type, schema_version, content_type, headers, resolver"
                + " from millrace.outbox order by id");
    assertThat(rows.get(0).deepToString())
        .isEqualTo(
            "[%s,order,ключ %s,%d,orders,k'\"\\,paid,1.0,application/x,null,feature]"
                .formatted(id, ASTRAL, Long.MAX_VALUE));
    assertThat(rows.get(1).deepToString())
        .endsWith(",order,plain,null,orders,null,paid,null,application/json,null,null]");
  }

  @Test
  void a_hundred_headers_arrive_in_order_with_every_kind_of_text() {
    List<String> odd =
        List.of("", "NULL", "\"", "\\", "{}", ",", " ", "ключ", ASTRAL, "a\nb\t", "'", "\\\"");
    NewMessage message = message("1");
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      String value = odd.get(i % odd.size());
      String name = i % 2 == 0 ? "same" : "n" + value;
      message = message.withHeader(name, value);
      expected.addAll(List.of(name, value));
    }
    NewMessage with = message;

    await(inTransaction(c -> outbox.append(c, message("0"), with, message("2"))));

    List<Row> rows = database.admin("select headers from millrace.outbox order by id");
    assertThat(rows.get(0).getArrayOfStrings(0)).isNull();
    assertThat(rows.get(1).getArrayOfStrings(0)).containsExactlyElementsOf(expected);
    assertThat(rows.get(2).getArrayOfStrings(0)).isNull();
  }

  @Test
  void what_the_rules_allow_at_their_limits_the_schema_allows_too() {
    NewMessage greatest =
        NewMessage.of(
                "t".repeat(249),
                ASTRAL.repeat(200),
                ASTRAL.repeat(400),
                ASTRAL.repeat(200),
                Payload.of(new byte[AppDatabase.PAYLOAD_BYTES_MAX]))
            .withMessageKey(ASTRAL.repeat(1_000))
            .withSchemaVersion(ASTRAL.repeat(100))
            .withContentType(ASTRAL.repeat(200))
            .withResolver(ASTRAL.repeat(100))
            .withHeader(ASTRAL.repeat(200), "v".repeat(16_384 - 400));

    await(inTransaction(c -> outbox.append(c, greatest)));

    assertThat(database.count("millrace.outbox")).isEqualTo(1);
  }

  @Test
  void an_invalid_message_is_refused_and_the_transaction_goes_on() {
    List<NewMessage> wrong =
        List.of(
            message(""),
            message("\0"),
            message("1").withHeader("n", "\uD83D"),
            NewMessage.of("no topic", "order", "1", "paid", null),
            NewMessage.of(
                "t", "a", "1", "e", Payload.of(new byte[AppDatabase.PAYLOAD_BYTES_MAX + 1])));
    List<String> refusals = new ArrayList<>();

    await(
        inTransaction(
            c -> {
              Future<?> chain = changeAndAppend(c, "1");
              for (NewMessage message : wrong) {
                chain =
                    chain.compose(
                        v ->
                            outbox
                                .append(c, message("fine"), message)
                                .otherwise(failure -> note(refusals, failure)));
              }
              return chain.compose(v -> changeAndAppend(c, "2"));
            }));

    assertThat(refusals)
        .containsExactly(
            "message 1: aggregate_id must have 1 to 400 characters, found 0",
            "message 1: aggregate_id must not contain NUL (U+0000), found one at index 0",
            "message 1: header 'n' must not contain an unpaired surrogate, found one at index 0",
            "message 1: topic may contain only a-z, A-Z, 0-9, '.', '_' and '-' and not be '.' or"
                + " '..', found 'no topic'",
            "message 1: payload must have at most 100000 bytes, found 100001");
    assertThat(database.count("millrace.outbox")).isEqualTo(2);
  }

  @Test
  void an_append_of_too_many_bytes_together_is_refused_and_the_transaction_goes_on() {
    Payload payload = Payload.of(new byte[AppDatabase.PAYLOAD_BYTES_MAX]);
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < 641; i++) {
      messages.add(NewMessage.of("t", "a", "1", "e", payload));
    }
    List<String> refusals = new ArrayList<>();

    await(
        inTransaction(
            c ->
                outbox
                    .append(c, messages)
                    .otherwise(failure -> note(refusals, failure))
                    .compose(v -> outbox.append(c, messages.subList(0, 10)))));

    assertThat(refusals)
        .containsExactly(
            "an append takes payloads of at most 64000000 bytes together, found 64100000");
    assertThat(database.count("millrace.outbox")).isEqualTo(10);
  }

  @Test
  void nothing_wrong_that_is_handed_in_makes_append_throw() {
    await(
        app.withConnection(
            c -> {
              List<NewMessage> none = new ArrayList<>();
              none.add(null);
              assertThat(outbox.append(c, none).failed()).isTrue();
              assertThat(outbox.append(c, message("1"), null).failed()).isTrue();
              assertThat(outbox.append(c, (List<NewMessage>) null).failed()).isTrue();
              assertThat(outbox.append(c).cause()).isInstanceOf(InvalidMessageException.class);
              return Future.succeededFuture();
            }));
  }

  @Test
  void a_message_id_whose_time_is_far_from_now_is_refused_by_the_database() {
    UUID old = Uuid7.of(System.currentTimeMillis() - 25 * 3_600_000L, 1, 2);

    assertThatThrownBy(
            () -> await(inTransaction(c -> outbox.append(c, message("1").withMessageId(old)))))
        .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("23514"))
        .hasMessageContaining(
            "millrace.outbox: message_id must have a time within a day of now, found ");
  }

  @Test
  void a_nudge_names_each_shard_once() {
    Promise<JsonObject> nudged = Promise.promise();
    var consumer =
        VERTX.eventBus().<JsonObject>consumer(Addresses.NUDGE, m -> nudged.tryComplete(m.body()));
    await(consumer.completion());

    List<Appended> appended =
        await(inTransaction(c -> outbox.append(c, message("1"), message("2"), message("1"))));
    outbox.nudge(List.of());
    outbox.nudge(appended);

    assertThat(Nudge.from(await(nudged.future()))).isEqualTo(Nudge.of(appended));
    await(consumer.unregister());
  }

  static <T> Future<T> inTransaction(Function<SqlConnection, Future<T>> work) {
    return app.withTransaction(work);
  }

  private Future<List<Appended>> changeAndAppend(SqlConnection connection, String id) {
    return connection
        .query("insert into public.orders values ('" + id + "', 'paid')")
        .execute()
        .compose(changed -> outbox.append(connection, message(id)));
  }

  private static NewMessage message(String id) {
    return NewMessage.of("orders", "order", id, "paid", Payload.of("{\"id\":\"" + id + "\"}"));
  }

  private static <T> T note(List<String> refusals, Throwable failure) {
    refusals.add(failure.getMessage());
    return null;
  }

  static String stateOf(Throwable failure) {
    return ((DatabaseException) failure).getSqlState();
  }

  private static final class Undo extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
