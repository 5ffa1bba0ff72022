package io.millrace.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.MessageRefused;
import io.millrace.client.RetryLater;
import io.millrace.core.inbox.ParkReason;
import io.millrace.postgres.PgFailures;
import io.millrace.transaction.Overdue;
import io.vertx.pgclient.PgException;
import java.io.EOFException;
import java.net.SocketException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlameTest {
  private final Blame blame = new Blame(PgFailures::kindInHandler);

  private Outcome ofState(String state) {
    return blame.of(new PgException("failed", "ERROR", state, ""));
  }

  @Test
  void what_the_handler_says_counts() {
    assertThat(blame.of(new MessageRefused("bad")))
        .isInstanceOfSatisfying(
            Outcome.Blamed.class, b -> assertThat(b.reason()).isEqualTo(ParkReason.REFUSED));
    assertThat(blame.of(new RetryLater("away"))).isInstanceOf(Outcome.Retry.class);
    assertThat(blame.of(new Overdue(5)))
        .isInstanceOfSatisfying(
            Outcome.Blamed.class, b -> assertThat(b.reason()).isEqualTo(ParkReason.OVERDUE));
  }

  @Test
  void an_exception_of_the_handlers_own_is_about_its_message() {
    assertThat(blame.of(new NullPointerException())).isInstanceOf(Outcome.Blamed.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"22P02", "23505", "23514", "P0001", "25P02"})
  void data_and_constraints_are_about_the_message(String state) {
    assertThat(ofState(state)).isInstanceOf(Outcome.Blamed.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"40P01", "55P03", "40001"})
  void locks_are_collisions(String state) {
    assertThat(ofState(state))
        .isInstanceOfSatisfying(Outcome.Retry.class, r -> assertThat(r.isCollision()).isTrue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"42P01", "42501", "57P01", "53300", "08006", "55000", "25006"})
  void outages_and_broken_installations_park_nothing(String state) {
    assertThat(ofState(state))
        .isInstanceOfSatisfying(Outcome.Retry.class, r -> assertThat(r.isCollision()).isFalse());
  }

  @Test
  void a_lost_connection_is_no_fault_of_the_message() {
    assertThat(blame.of(new SocketException("reset"))).isInstanceOf(Outcome.Retry.class);
    assertThat(blame.of(new EOFException("half a message"))).isInstanceOf(Outcome.Blamed.class);
  }

  @Test
  void progress_that_is_elsewhere_is_looked_up() {
    assertThat(ofState("MR001")).isInstanceOf(Outcome.Moved.class);
  }
}
