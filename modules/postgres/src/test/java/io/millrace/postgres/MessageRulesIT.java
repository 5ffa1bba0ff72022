package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;

/** What a message must be holds for whoever inserts it, with whatever statement. */
class MessageRulesIT {
  private static final String INSERT =
      "insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type%s)"
          + " values ('t', 'order', '1', 'paid'%s)";

  @RegisterExtension static final PgFixture pg = PgFixture.freshForEveryTest();

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "topic; ''; topic must have 1 to 249 characters of a-z, A-Z, 0-9, \".\", \"_\" and \"-\", found ''",
        "topic; repeat('t', 250); topic must have 1 to 249 characters",
        "topic; 'a/b'; found 'a/b'",
        "topic; '..'; found '..'",
        "aggregate_type; repeat('x', 201); aggregate_type must have 1 to 200 characters, found 201",
        "aggregate_id; ''; aggregate_id must have 1 to 400 characters, found 0",
        "event_type; repeat('x', 201); event_type must have 1 to 200 characters, found 201",
        "payload; repeat('x', 1001)::bytea; payload must have at most 1000 bytes, found 1001",
        "revision; -1; revision must not be negative, found -1",
        "message_key; repeat('x', 1001); message_key must have 1 to 1000 characters, found 1001",
        "schema_version; ''; schema_version must have 1 to 100 characters, found 0",
        "content_type; ''; content_type must have 1 to 200 characters, found 0",
        "resolver; repeat('x', 101); resolver must have 1 to 100 characters, found 101",
        "headers; array['n']; headers must be at most 100 pairs of name and value in one dimension, found 1 texts in 1",
        "headers; array_fill('n'::text, array[202]); found 202 texts in 1",
        "headers; array[['n', 'v'], ['m', 'w']]; found 4 texts in 2",
        "headers; array['n', null]; headers must not hold null, found one at 2",
        "headers; array['n', repeat('x', 16384)]; headers must have at most 16384 characters, found 16385",
        "message_id; gen_random_uuid(); message_id must be a UUIDv7, found ",
        "message_id; '01000000-0000-7000-8000-000000000000'; message_id must have a time within a day of now, found ",
      })
  void what_breaks_a_rule_is_refused_naming_the_field_the_limit_and_the_value(
      String column, String value, String text) throws SQLException {
    Connection writer = pg.connect(PgFixture.APPLICATION);

    PSQLException refused =
        catchThrowableOfType(
            PSQLException.class, () -> PgFixture.execute(writer, with(column, value)));

    assertThat(refused.getSQLState()).isEqualTo("23514");
    assertThat(refused.getServerErrorMessage().getConstraint())
        .isEqualTo("message_keeps_the_rules");
    assertThat((Throwable) refused)
        .hasMessageContaining("millrace.outbox: ")
        .hasMessageContaining(text);
    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "topic; repeat('t', 249)",
        "aggregate_id; repeat('ü', 400)",
        "payload; repeat('x', 1000)::bytea",
        "payload; null",
        "revision; 0",
        "message_key; repeat('x', 1000)",
        "headers; '{}'",
        "headers; array_fill('n'::text, array[200])",
        "headers; array['', repeat('x', 16384)]",
        "resolver; repeat('x', 100)",
      })
  void what_is_at_the_limit_is_accepted(String column, String value) throws SQLException {
    PgFixture.execute(pg.connect(PgFixture.APPLICATION), with(column, value));

    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("1");
  }

  private static String with(String column, String value) {
    String plain = INSERT.formatted("", "");
    return switch (column) {
      case "topic" -> plain.replace("'t'", value);
      case "aggregate_type" -> plain.replace("'order'", value);
      case "aggregate_id" -> plain.replace("'1'", value);
      case "event_type" -> plain.replace("'paid'", value);
      default -> INSERT.formatted(", " + column, ", " + value);
    };
  }

  @Test
  void a_function_of_the_writer_does_not_stand_in_for_one_of_the_database() throws SQLException {
    pg.execute(
        "create schema own",
        "create function own.length(text) returns integer language sql as 'select 1'",
        "grant usage on schema own to public");
    Connection writer = pg.connect(PgFixture.APPLICATION);
    PgFixture.execute(writer, "set search_path = own, pg_catalog");
    assertThat(PgFixture.value(writer, "select length('')")).isEqualTo("1");

    PSQLException refused =
        catchThrowableOfType(
            PSQLException.class, () -> PgFixture.execute(writer, with("aggregate_id", "''")));

    assertThat((Throwable) refused)
        .hasMessageContaining("aggregate_id must have 1 to 400 characters, found 0");
  }

  @Test
  void each_slot_has_that_one_constraint() {
    pg.execute("call millrace.create_slot_table(9)");

    assertThat(
            pg.column(
                "select c.conname || ' ' || c.conislocal || ' ' || c.coninhcount from pg_constraint c"
                    + " join pg_inherits i on i.inhrelid = c.conrelid"
                    + " where i.inhparent = 'millrace.outbox'::regclass and c.contype = 'c'"))
        .hasSize(PgFixture.SLOTS + 1)
        .allSatisfy(constraint -> assertThat(constraint).startsWith("message_keeps_the_rules "))
        .allSatisfy(constraint -> assertThat(constraint).endsWith(" 1"));
  }
}
