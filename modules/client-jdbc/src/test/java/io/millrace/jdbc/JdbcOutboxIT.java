package io.millrace.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.Appended;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.Uuid7;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcOutboxIT {
  private static final String ASTRAL = "\uD83D\uDE80";

  private static JdbcDatabase database;

  private final JdbcOutbox outbox =
      new JdbcOutbox(new MessageRules(JdbcDatabase.PAYLOAD_BYTES_MAX));

  @BeforeAll
  static void start() {
    database = JdbcDatabase.start();
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @BeforeEach
  void empty() {
    database.empty();
  }

  @Test
  void a_commit_leaves_change_and_message_and_a_rollback_neither() throws SQLException {
    try (Connection connection = database.begin(JdbcDatabase.SHOP)) {
      change(connection, "kept");
      outbox.append(connection, message("kept"));
      connection.commit();
      change(connection, "undone");
      outbox.append(connection, message("undone"));
      connection.rollback();
    }

    assertThat(database.rows("select id from public.orders")).containsExactly(List.of("kept"));
    assertThat(database.rows("select aggregate_id from millrace.outbox"))
        .containsExactly(List.of("kept"));
  }

  @Test
  void ids_come_back_in_the_order_given_for_a_thousand_messages() throws SQLException {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      messages.add(message("order-" + i * 7_919 % 1_000).withRevision(i).withHeader("n", "v" + i));
    }

    List<Appended> appended = inTransaction(connection -> outbox.append(connection, messages));

    List<List<String>> expected = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      Appended one = appended.get(i);
      expected.add(
          List.of(
              Long.toString(one.id()),
              one.messageId().toString(),
              Integer.toString(one.shard()),
              messages.get(i).aggregateId(),
              "{n,v" + i + "}"));
    }
    assertThat(
            database.rows(
                "select id, message_id, shard, aggregate_id, headers from millrace.outbox"
                    + " order by revision"))
        .isEqualTo(expected);
    assertThat(appended).isSortedAccordingTo((a, b) -> Long.compare(a.id(), b.id()));
    assertThat(appended).allMatch(one -> Uuid7.isUuid7(one.messageId()));
  }

  @Test
  void payloads_arrive_as_they_were_given() throws SQLException {
    byte[] every = new byte[256];
    for (int i = 0; i < 256; i++) {
      every[i] = (byte) i;
    }

    inTransaction(
        connection ->
            outbox.append(
                connection,
                NewMessage.of("t", "order", "1", "gone", null),
                NewMessage.of("t", "order", "2", "none", Payload.of(new byte[0])),
                NewMessage.of("t", "order", "3", "binary", Payload.of(every))));

    assertThat(
            database.rows(
                "select coalesce(encode(payload, 'hex'), 'null') from millrace.outbox order by id"))
        .containsExactly(List.of("null"), List.of(""), List.of(HexFormat.of().formatHex(every)));
  }

  @Test
  void every_field_arrives_as_it_was_given() throws SQLException {
    UUID id = Uuid7.of(System.currentTimeMillis(), 1, 2);
    NewMessage full =
        message("ключ " + ASTRAL)
            .withMessageId(id)
            .withRevision(Long.MAX_VALUE)
            .withMessageKey("k'\"\\,{}")
            .withSchemaVersion("NULL")
            .withContentType("application/x")
            .withResolver("feature")
            .withHeader("a", "\"\\")
            .withHeader("a", "");

    inTransaction(connection -> outbox.append(connection, full, message("plain")));

    List<List<String>> rows =
        database.rows(
            "select concat_ws('|', message_id, aggregate_type, aggregate_id, revision, topic,"
                + " message_key, event_type, schema_version, content_type, headers::text, resolver)"
                + " from millrace.outbox order by id");
    assertThat(rows.get(0).get(0))
        .isEqualTo(
            id
                + "|order|ключ "
                + ASTRAL
                + "|9223372036854775807|orders|k'\"\\,{}|paid|NULL|application/x|"
                + "{a,\"\\\"\\\\\",a,\"\"}|feature");
    assertThat(rows.get(1).get(0)).endsWith("|order|plain|orders|paid|application/json");
  }

  @Test
  void an_invalid_message_is_refused_before_anything_is_sent_and_the_transaction_goes_on()
      throws SQLException {
    try (Connection connection = database.begin(JdbcDatabase.SHOP)) {
      change(connection, "1");
      assertThatThrownBy(
              () ->
                  outbox.append(
                      connection, message("1"), NewMessage.of("no topic", "a", "1", "e", null)))
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageStartingWith("message 1: topic may contain only");
      assertThatThrownBy(() -> outbox.append(connection))
          .hasMessage("an append takes 1 to 10000 messages, found 0");
      outbox.append(connection, message("1"));
      connection.commit();
    }
    assertThat(database.count("millrace.outbox")).isEqualTo(1);
  }

  @Test
  void a_connection_in_auto_commit_mode_is_refused() throws SQLException {
    try (Connection connection = database.connect(JdbcDatabase.SHOP)) {
      assertThatThrownBy(() -> outbox.append(connection, message("1")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("append needs the transaction")
          .hasMessageContaining("setAutoCommit(false)");
      assertThatThrownBy(() -> outbox.appendAll(connection, Stream.of(message("1")).iterator()))
          .hasMessageContaining("appendAll needs the transaction");
      assertThatThrownBy(() -> outbox.nextRevision(connection, "order", "1", OptionalLong.empty()))
          .hasMessageContaining("nextRevision needs the transaction");
    }
    assertThat(database.count("millrace.outbox")).isZero();
  }

  @Test
  void an_import_is_appended_in_batches_in_its_order() throws SQLException {
    int count = 2 * JdbcOutbox.BATCH_MESSAGES_MAX + 345;

    long appended =
        inTransaction(
            connection ->
                outbox.appendAll(
                    connection,
                    IntStream.range(0, count)
                        .mapToObj(i -> message("all").withRevision(i))
                        .iterator()));

    assertThat(appended).isEqualTo(count);
    assertThat(
            database.rows(
                "select count(*), min(revision), max(revision) from (select revision,"
                    + " row_number() over (order by id) - 1 as place from millrace.outbox) o"
                    + " where revision = place"))
        .containsExactly(List.of(Integer.toString(count), "0", Integer.toString(count - 1)));
    assertThat(
            this.<Long>inTransaction(c -> outbox.appendAll(c, Stream.<NewMessage>of().iterator())))
        .isZero();
  }

  @Test
  void large_payloads_make_smaller_batches() throws SQLException {
    NewMessage large =
        NewMessage.of("t", "a", "1", "e", Payload.of(new byte[JdbcDatabase.PAYLOAD_BYTES_MAX]));

    // Together more than one statement may carry.
    long appended =
        inTransaction(c -> outbox.appendAll(c, Stream.generate(() -> large).limit(641).iterator()));

    assertThat(appended).isEqualTo(641);
  }

  @Test
  void revisions_go_up_by_one_and_a_wrong_expectation_is_refused() throws SQLException {
    assertThat(next(OptionalLong.empty())).isEqualTo(1);
    assertThat(next(OptionalLong.of(1))).isEqualTo(2);
    assertThatThrownBy(() -> next(OptionalLong.of(1)))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"))
        .hasMessageContaining("was expected at revision 1, found 2");
    assertThatThrownBy(() -> next(OptionalLong.of(-1))).isInstanceOf(InvalidMessageException.class);
  }

  @Test
  void two_writers_of_one_aggregate_follow_each_other() throws SQLException {
    try (Connection first = database.begin(JdbcDatabase.SHOP)) {
      outbox.nextRevision(first, "order", "1", OptionalLong.empty());
      CompletableFuture<Long> second = CompletableFuture.supplyAsync(this::nextUnchecked);
      awaitOneWaiting();
      outbox.append(first, message("1").withRevision(1));
      first.commit();
      assertThat(second.join()).isEqualTo(2);
    }
  }

  private void awaitOneWaiting() {
    Awaitility.await()
        .until(
            () ->
                database.count(
                        "pg_stat_activity where wait_event_type = 'Lock' and usename = 'shop'")
                    == 1);
  }

  private long nextUnchecked() {
    try {
      return next(OptionalLong.empty());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long next(OptionalLong expected) throws SQLException {
    return inTransaction(c -> outbox.nextRevision(c, "order", "1", expected));
  }

  private interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  private <T> T inTransaction(Work<T> work) throws SQLException {
    try (Connection connection = database.begin(JdbcDatabase.SHOP)) {
      T result = work.on(connection);
      connection.commit();
      return result;
    }
  }

  private static void change(Connection connection, String id) throws SQLException {
    JdbcDatabase.execute(connection, "insert into public.orders values ('" + id + "', 'paid')");
  }

  private static NewMessage message(String id) {
    return NewMessage.of("orders", "order", id, "paid", Payload.of("{\"id\":\"" + id + "\"}"));
  }
}
