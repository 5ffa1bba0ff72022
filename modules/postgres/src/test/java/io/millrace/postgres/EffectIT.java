package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls to the outside are remembered, each in a transaction of its own. */
class EffectIT {
  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  private final UUID message = UUID.randomUUID();
  private Connection consumer;
  private String now;

  @BeforeEach
  void open() {
    consumer = pg.connect(PgFixture.CONSUMER);
    now = pg.value("select (extract(epoch from now()) * 1000)::bigint");
  }

  private String begin(String step) throws SQLException {
    return PgFixture.value(
        consumer,
        "select concat_ws(' ', state, convert_from(outcome, 'UTF8')) from millrace.effect_begin('billing', '%s', %s, '%s')"
            .formatted(message, now, step));
  }

  private String finish(String step, String outcome) throws SQLException {
    return PgFixture.value(
        consumer,
        "select convert_from(millrace.effect_finish('billing', '%s', %s, '%s', '%s'), 'UTF8')"
            .formatted(message, now, step, outcome));
  }

  @Test
  void a_call_is_started_once_and_repeated_until_it_is_finished() throws SQLException {
    assertThat(begin("charge")).isEqualTo("started");
    assertThat(begin("charge")).isEqualTo("repeated");
    assertThat(finish("charge", "receipt 1")).isEqualTo("receipt 1");
    assertThat(begin("charge")).isEqualTo("finished receipt 1");
  }

  @Test
  void the_first_outcome_counts() throws SQLException {
    begin("charge");
    finish("charge", "receipt 1");

    assertThat(finish("charge", "receipt 2")).isEqualTo("receipt 1");
    assertThat(begin("charge")).isEqualTo("finished receipt 1");
  }

  @Test
  void steps_are_told_apart() throws SQLException {
    begin("charge");
    finish("charge", "receipt 1");

    assertThat(begin("mail")).isEqualTo("started");
  }
}
