package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PgFailuresTest {

  @ParameterizedTest
  @CsvSource({
    "08000, TRANSIENT", // connection_exception
    "08006, TRANSIENT", // connection_failure
    "0A000, TRANSIENT", // cached plan must not change result type
    "22023, BROKEN", // invalid_parameter_value
    "23505, BROKEN", // unique_violation
    "25006, TRANSIENT", // read_only_sql_transaction: a demoted primary
    "25P03, TRANSIENT", // idle_in_transaction_session_timeout
    "26000, TRANSIENT", // invalid_sql_statement_name, behind a pooler
    "28P01, BROKEN", // invalid_password
    "3D000, BROKEN", // invalid_catalog_name
    "40001, TRANSIENT", // serialization_failure
    "40003, UNKNOWN_OUTCOME", // statement_completion_unknown
    "40P01, TRANSIENT", // deadlock_detected
    "42501, BROKEN", // insufficient_privilege
    "42P01, BROKEN", // undefined_table
    "53100, TRANSIENT", // disk_full
    "53300, TRANSIENT", // too_many_connections
    "55000, TRANSIENT", // object_not_in_prerequisite_state, during recovery
    "55P03, TRANSIENT", // lock_not_available
    "57014, TRANSIENT", // query_canceled: the statement time-out
    "57P01, UNKNOWN_OUTCOME", // admin_shutdown
    "57P02, UNKNOWN_OUTCOME", // crash_shutdown
    "57P03, TRANSIENT", // cannot_connect_now
    "58030, TRANSIENT", // io_error
    "P0001, BROKEN", // raise_exception
    "XX000, TRANSIENT", // internal_error
    "XX001, BROKEN" // data_corrupted
  })
  void a_failure_of_the_server_is_judged_by_its_sqlstate(String state, FailureKind kind) {
    assertThat(PgFailures.kindOf(new PgException("any text", "ERROR", state, "detail")))
        .isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "22012, MESSAGE", // division_by_zero
    "22P02, MESSAGE", // invalid_text_representation
    "23505, MESSAGE", // unique_violation
    "23514, MESSAGE", // check_violation
    "P0001, MESSAGE", // raise_exception
    "40P01, TRANSIENT", // deadlock_detected
    "42P01, BROKEN", // undefined_table
    "42501, BROKEN", // insufficient_privilege
    "57P01, UNKNOWN_OUTCOME", // admin_shutdown
    "3F000, BROKEN", // invalid_schema_name
    "21000, MESSAGE", // cardinality_violation
    "54000, MESSAGE", // program_limit_exceeded
    "AB001, MESSAGE" // what an application's own function raises
  })
  void in_a_handler_what_the_data_is_to_blame_for_is_the_messages(String state, FailureKind kind) {
    assertThat(PgFailures.kindInHandler(new PgException("any text", "ERROR", state, "detail")))
        .isEqualTo(kind);
  }

  @Test
  void in_a_handler_too_a_lost_connection_leaves_the_outcome_unknown() {
    assertThat(PgFailures.kindInHandler(new IOException("reset by peer")))
        .isEqualTo(FailureKind.UNKNOWN_OUTCOME);
  }

  @Test
  void in_a_handler_a_parser_that_fails_with_an_io_exception_is_about_its_message() {
    assertThat(PgFailures.kindInHandler(new EOFException("half a message")))
        .isEqualTo(FailureKind.BROKEN);
    assertThat(PgFailures.kindInHandler(new ConnectException("refused")))
        .isEqualTo(FailureKind.UNKNOWN_OUTCOME);
  }

  static Stream<Throwable> withoutAnAnswer() {
    return Stream.of(
        new TimeoutException("no answer"),
        new IOException("reset by peer"),
        new ConnectException("refused"),
        new VertxException("the connection was closed", true));
  }

  @ParameterizedTest
  @MethodSource("withoutAnAnswer")
  void without_an_answer_the_outcome_is_unknown(Throwable cause) {
    assertThat(PgFailures.kindOf(cause)).isEqualTo(FailureKind.UNKNOWN_OUTCOME);
  }

  @Test
  void what_nobody_expects_is_a_programming_error() {
    assertThat(PgFailures.kindOf(new IllegalStateException("?"))).isEqualTo(FailureKind.BROKEN);
  }

  @Test
  void what_has_been_judged_keeps_its_kind() {
    Failure judged = new Failure(FailureKind.TOPIC, "judged", null);

    assertThat(PgFailures.kindOf(judged)).isEqualTo(FailureKind.TOPIC);
  }

  @Test
  void the_failure_names_the_statement_and_keeps_the_cause() {
    PgException cause = new PgException("no such table", "ERROR", "42P01", "detail");
    Failure failure = PgFailures.of(Statement.READ_ONWARD, cause);

    assertThat(failure.kind()).isEqualTo(FailureKind.BROKEN);
    assertThat(failure).hasMessageContaining("read_onward").hasCause(cause);
  }
}
