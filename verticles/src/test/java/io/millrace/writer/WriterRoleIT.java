package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static io.millrace.writer.OutboxIT.stateOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Outbox;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.MessageRules;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a login that is granted millrace_writer can do in SQL, and what it cannot. */
class WriterRoleIT {
  private static final Vertx VERTX = Vertx.vertx();
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  /** The guarded change and its message in one statement. */
  private static final String PAY =
      """
      with changed as (update public.orders set state = 'paid'
                       where id = '1' and state = 'open' returning id)
      select a.id, a.message, a.shard
      from changed, millrace.append('orders', 'order', changed.id, 'paid', '\\x00ff') a
      """;

  private static AppDatabase database;
  private static Pool app;

  private final Outbox outbox = Outbox.withoutNudges(new MessageRules(1_000));

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
  void a_message_is_appended_by_sql_if_and_only_if_the_row_changed() {
    sql("insert into public.orders values ('1', 'open')");

    assertThat(sql(PAY)).hasSize(1);
    assertThat(sql(PAY)).as("its precondition does not hold any more").isEmpty();

    assertThat(database.admin("select aggregate_id, payload from millrace.outbox"))
        .singleElement()
        .satisfies(row -> assertThat(row.getString(0)).isEqualTo("1"))
        .satisfies(row -> assertThat(row.getBuffer(1).getBytes()).containsExactly(0, 0xff));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'', 'order', '1', 'paid', null; topic must have 1 to 249 characters",
        "'a b', 'order', '1', 'paid', null; topic must have 1 to 249 characters",
        "'..', 'order', '1', 'paid', null; topic must have 1 to 249 characters",
        "'t', '', '1', 'paid', null; aggregate_type must have 1 to 200 characters, found 0",
        "'t', 'o', repeat('x', 401), 'paid', null; aggregate_id must have 1 to 400 characters, found 401",
        "'t', 'o', '1', '', null; event_type must have 1 to 200 characters, found 0",
        "'t', 'o', '1', 'p', repeat('x', 100001)::bytea; payload must have at most 100000 bytes, found 100001",
        "'t', 'o', '1', 'p', null, revision => -1; revision must not be negative, found -1",
        "'t', 'o', '1', 'p', null, message_key => ''; message_key must have 1 to 1000 characters, found 0",
        "'t', 'o', '1', 'p', null, headers => array['n']; headers must be at most 100 pairs",
        "'t', 'o', '1', 'p', null, message_id => gen_random_uuid(); message_id must be a UUIDv7",
      })
  void bad_input_is_refused_by_name_and_a_savepoint_saves_the_transaction(
      String arguments, String text) {
    // Not with Vert.x's own Transaction: after an SQL error that one rolls back, savepoint or not.
    Future<Throwable> refused =
        app.withConnection(
            c ->
                c.query("begin; savepoint s")
                    .execute()
                    .compose(v -> c.query("select millrace.append(" + arguments + ")").execute())
                    .transform(r -> c.query("rollback to savepoint s").execute().map(r.cause()))
                    .compose(
                        cause ->
                            c.query("insert into public.orders values ('1', 'a'); commit")
                                .execute()
                                .map(cause)));

    assertThat(stateOf(await(refused))).isEqualTo("23514");
    assertThat(await(refused)).hasMessageContaining("millrace.outbox: " + text);

    assertThat(database.count("public.orders")).isEqualTo(1);
    assertThat(database.count("millrace.outbox")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "null, 'o', '1', 'p', null; topic must not be null",
        "'t', 'o', null, 'p', null; aggregate_id must not be null",
        "'t', 'o', '1', 'p', null, headers => array['ce_id', '1']; header names content-type, ce_... and",
      })
  void what_only_append_refuses_is_told_in_its_name(String arguments, String text) {
    Throwable refused =
        await(
            app.withConnection(
                c ->
                    c.query("select millrace.append(" + arguments + ")")
                        .execute()
                        .transform(r -> Future.succeededFuture(r.cause()))));

    assertThat(stateOf(refused)).isEqualTo("22023");
    assertThat(refused).hasMessageContaining("millrace.append: " + text);
  }

  @Test
  void revisions_are_handed_out_one_after_the_other() {
    assertThat(next(OptionalLong.empty())).isEqualTo(1);
    assertThat(next(OptionalLong.of(1))).isEqualTo(2);
    assertThat(next(OptionalLong.empty())).isEqualTo(3);
  }

  @Test
  void an_aggregate_without_a_revision_is_expected_at_zero() {
    assertThat(next(OptionalLong.of(0))).isEqualTo(1);
    assertConflict(OptionalLong.of(0), "was expected at revision 0, found 1");
  }

  @Test
  void a_wrong_expected_revision_is_a_unique_violation() {
    assertConflict(OptionalLong.of(5), "order 1 was expected at revision 5, found 0");
    assertThat(next(OptionalLong.empty())).isEqualTo(1);
    assertConflict(OptionalLong.of(5), "order 1 was expected at revision 5, found 1");
    assertThat(next(OptionalLong.of(1))).isEqualTo(2);
  }

  @Test
  void a_revision_that_cannot_be_asked_for_leaves_the_transaction_usable() {
    List<Future<Long>> asked = new ArrayList<>();
    await(
        app.withTransaction(
            c -> {
              asked.add(outbox.nextRevision(c, "order", "\0", OptionalLong.empty()));
              asked.add(outbox.nextRevision(c, "", "1", OptionalLong.empty()));
              asked.add(outbox.nextRevision(c, "order", "1", OptionalLong.of(-1)));
              return outbox.nextRevision(c, "order", "1", OptionalLong.empty());
            }));

    assertThat(asked).allMatch(each -> each.cause() instanceof InvalidMessageException);
    assertThat(asked.get(2).cause()).hasMessage("expected must not be negative, found -1");
  }

  @Test
  void concurrent_writers_never_get_the_same_revision() {
    List<Future<Long>> asked = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      asked.add(
          app.withTransaction(c -> outbox.nextRevision(c, "order", "1", OptionalLong.empty())));
    }
    await(Future.join(asked));

    assertThat(asked.stream().map(Future::result).sorted())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 200).boxed().toList());
  }

  @Test
  void of_concurrent_writers_that_expect_the_same_revision_one_wins() {
    List<Future<Long>> asked = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      asked.add(app.withTransaction(c -> outbox.nextRevision(c, "order", "1", OptionalLong.of(0))));
    }
    await(Future.join(asked).otherwiseEmpty());

    assertThat(asked.stream().filter(Future::succeeded)).hasSize(1);
    assertThat(asked.stream().filter(Future::failed))
        .hasSize(19)
        .allSatisfy(each -> assertThat(stateOf(each.cause())).isEqualTo("23505"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into millrace.outbox (id, aggregate_type, aggregate_id, topic, event_type)"
            + " values (1, 'a', '1', 't', 'e')",
        "insert into millrace.outbox (xid, aggregate_type, aggregate_id, topic, event_type)"
            + " values ('1', 'a', '1', 't', 'e')",
        "insert into millrace.outbox (slot, aggregate_type, aggregate_id, topic, event_type)"
            + " values (1, 'a', '1', 't', 'e')",
        "insert into millrace.outbox (created_at, aggregate_type, aggregate_id, topic, event_type)"
            + " values (now(), 'a', '1', 't', 'e')",
        "insert into millrace.outbox_slot_0 (aggregate_type, aggregate_id, topic, event_type)"
            + " values ('a', '1', 't', 'e')",
        "select setval('millrace.ring_slot', 1)",
        "select nextval('millrace.ring_slot')",
        "select setval('millrace.outbox_id', 1)",
        "select payload from millrace.outbox",
        "update millrace.outbox set topic = 't'",
        "delete from millrace.outbox",
        "truncate millrace.outbox",
        "update millrace.command_answer set refused = true",
        "delete from millrace.command_answer",
        "delete from millrace.revision",
        "select * from millrace.slot",
      })
  void what_is_none_of_a_writers_business_is_forbidden(String statement) {
    assertThatThrownBy(() -> sql(statement))
        .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo(INSUFFICIENT_PRIVILEGE));
  }

  private static List<Row> sql(String statement) {
    List<Row> rows = new ArrayList<>();
    await(app.query(statement).execute()).forEach(rows::add);
    return rows;
  }

  private long next(OptionalLong expected) {
    return await(app.withTransaction(c -> outbox.nextRevision(c, "order", "1", expected)));
  }

  private void assertConflict(OptionalLong expected, String text) {
    assertThatThrownBy(() -> next(expected))
        .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("23505"))
        .hasMessageContaining(text);
  }
}
