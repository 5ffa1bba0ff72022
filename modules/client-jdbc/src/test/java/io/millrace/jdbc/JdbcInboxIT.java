package io.millrace.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.inbox.Identity;
import io.millrace.core.message.Uuid7;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcInboxIT {
  private static final long DAY_MS = JdbcDatabase.DAY_MS;

  private static JdbcDatabase database;
  private static long made;

  private final JdbcInbox inbox = new JdbcInbox("books");

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
  void a_message_is_new_once_and_its_repeats_change_nothing() throws SQLException {
    UUID id = idOfDay(0);

    assertThat(deliver(id)).isTrue();
    assertThat(deliver(id)).isFalse();
    assertThat(deliver(id)).isFalse();

    assertThat(database.count("public.booking")).isEqualTo(1);
  }

  @Test
  void another_consumer_has_ids_of_its_own() throws SQLException {
    UUID id = idOfDay(0);
    deliver(id);
    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      assertThat(new JdbcInbox("mail").claim(connection, id)).isTrue();
    }
  }

  @Test
  void what_was_rolled_back_is_new_again() throws SQLException {
    UUID id = idOfDay(0);
    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      assertThat(inbox.claim(connection, id)).isTrue();
      connection.rollback();
    }
    assertThat(deliver(id)).isTrue();
  }

  @Test
  void two_deliveries_at_a_time_have_one_effect_and_the_second_waits_for_the_first()
      throws SQLException {
    UUID id = idOfDay(0);
    try (Connection first = database.begin(JdbcDatabase.BOOKS)) {
      assertThat(inbox.claim(first, id)).isTrue();
      CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> deliverUnchecked(id));
      Awaitility.await()
          .until(
              () ->
                  database.count(
                          "pg_stat_activity where wait_event_type = 'Lock' and usename = 'books'")
                      == 1);
      book(first, id);
      first.commit();
      assertThat(second.join()).isFalse();
    }
    assertThat(database.count("public.booking")).isEqualTo(1);
  }

  @Test
  void a_batch_is_answered_message_by_message_in_its_order() throws SQLException {
    UUID applied = idOfDay(0);
    deliver(applied);
    UUID fresh = idOfDay(-1);
    List<Identity> batch =
        List.of(
            identity(fresh),
            identity(applied),
            identity(idOfDay(-30)),
            identity(fresh),
            identity(idOfDay(30)),
            identity(idOfDay(0)));

    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      assertThat(inbox.claim(connection, batch))
          .containsExactly(
              ClaimStatus.NEW,
              ClaimStatus.DUPLICATE,
              ClaimStatus.BEYOND_DEDUP_WINDOW,
              ClaimStatus.DUPLICATE,
              ClaimStatus.AHEAD_OF_BUCKETS,
              ClaimStatus.NEW);
    }
  }

  @Test
  void a_message_that_cannot_be_told_from_a_repeat_is_refused_and_the_transaction_goes_on()
      throws SQLException {
    UUID old = idOfDay(-30);
    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      assertThatThrownBy(() -> inbox.claim(connection, old))
          .isInstanceOfSatisfying(
              OutsideDedupWindowException.class,
              e -> assertThat(e.status()).isEqualTo(ClaimStatus.BEYOND_DEDUP_WINDOW))
          .hasMessageContaining(old.toString())
          .hasMessageContaining("consumer books keeps ids of: BEYOND_DEDUP_WINDOW");
      assertThat(inbox.claim(connection, idOfDay(0))).isTrue();
      connection.commit();
    }
    assertThat(database.count("millrace.inbox")).isEqualTo(1);
  }

  @Test
  void wrong_input_is_refused_with_the_limit_and_what_was_found() throws SQLException {
    assertThatThrownBy(() -> new JdbcInbox("a b"))
        .hasMessage("consumer must be 1 to 100 of a-z A-Z 0-9 . _ -, found \"a b\"");
    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      assertThatThrownBy(() -> inbox.claim(connection, UUID.randomUUID()))
          .hasMessageStartingWith("not a UUIDv7: ");
      assertThatThrownBy(() -> inbox.claim(connection, List.of()))
          .hasMessage("a claim takes 1 to 10000 messages, found 0");
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> inbox.claim(connection, idOfDay(0)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("claim needs the transaction");
    }
    assertThat(database.count("millrace.inbox")).isZero();
  }

  @Test
  void a_claim_with_older_eyes_is_refused() throws SQLException {
    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThatThrownBy(() -> inbox.claim(connection, idOfDay(0)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25001"));
    }
  }

  @Test
  void apply_once_answers_as_a_claim_does() throws SQLException {
    UUID id = idOfDay(0);
    assertThat(applyOnce("'books', '%s'".formatted(id))).isEqualTo("t");
    assertThat(deliver(id)).isFalse();
    assertThat(applyOnce("'books', '%s'".formatted(id))).isEqualTo("f");
  }

  @Test
  void apply_once_takes_the_time_of_an_id_that_has_none() throws SQLException {
    UUID foreign = UUID.randomUUID();
    assertThat(applyOnce("'books', '%s', now()".formatted(foreign))).isEqualTo("t");
    assertThat(applyOnce("'books', '%s', now()".formatted(foreign))).isEqualTo("f");
    // The time in a UUIDv7 is the one that counts.
    assertThat(applyOnce("'books', '%s', '1970-01-01'".formatted(idOfDay(0)))).isEqualTo("t");
  }

  @Test
  void apply_once_refuses_what_it_cannot_answer() {
    assertRefused("'books', '%s'".formatted(idOfDay(-30)), "MR002", "beyond_dedup_window");
    assertRefused("'books', '%s'".formatted(idOfDay(30)), "MR002", "ahead_of_buckets");
    assertRefused("'books', '%s'".formatted(UUID.randomUUID()), "22023", "message_time");
    assertRefused(
        "'books', '%s', 'infinity'".formatted(UUID.randomUUID()), "22023", "found infinity");
    assertRefused("'books', null", "22023", "message_id must not be null");
    assertRefused("'a b', '%s'".formatted(idOfDay(0)), "22023", "found 'a b'");
    assertRefused("null, '%s'".formatted(idOfDay(0)), "22023", "consumer must be");
  }

  private static void assertRefused(String arguments, String state, String text) {
    assertThatThrownBy(() -> applyOnce(arguments))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state))
        .hasMessageContaining(text);
  }

  private static String applyOnce(String arguments) throws SQLException {
    try (Connection connection = database.connect(JdbcDatabase.BOOKS)) {
      return JdbcDatabase.rows(connection, "select millrace.apply_once(" + arguments + ")")
          .get(0)
          .get(0);
    }
  }

  private boolean deliverUnchecked(UUID id) {
    try {
      return deliver(id);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As a consumer does: claim, effect, commit. */
  private boolean deliver(UUID id) throws SQLException {
    try (Connection connection = database.begin(JdbcDatabase.BOOKS)) {
      boolean isNew = inbox.claim(connection, id);
      if (isNew) {
        book(connection, id);
      }
      connection.commit();
      return isNew;
    }
  }

  private static void book(Connection connection, UUID id) throws SQLException {
    JdbcDatabase.execute(connection, "insert into public.booking values ('" + id + "')");
  }

  private static Identity identity(UUID id) {
    return new Identity(id, Uuid7.timeOf(id).toEpochMilli());
  }

  private static UUID idOfDay(int days) {
    return Uuid7.of(System.currentTimeMillis() + days * DAY_MS, ++made, made);
  }
}
