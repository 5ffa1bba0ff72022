package io.millrace.core.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeaseTest {
  private final Lease lease = new Lease(5_000);

  @Test
  void without_a_heartbeat_there_is_no_lease() {
    assertThat(lease.isValid(0)).isFalse();
  }

  @Test
  void it_is_valid_for_its_length_after_the_heartbeat_was_sent() {
    lease.renew(1_000);

    assertThat(lease.isValid(1_000)).isTrue();
    assertThat(lease.isValid(5_999)).isTrue();
    assertThat(lease.isValid(6_000)).isFalse();
  }

  @Test
  void a_later_heartbeat_prolongs_it() {
    lease.renew(1_000);
    lease.renew(4_000);

    assertThat(lease.isValid(8_999)).isTrue();
    assertThat(lease.isValid(9_000)).isFalse();
  }

  @Test
  void an_answer_that_overtook_a_later_one_shortens_nothing() {
    lease.renew(4_000);
    lease.renew(1_000);

    assertThat(lease.isValid(8_999)).isTrue();
  }

  @Test
  void a_lost_one_is_over_at_once_and_a_new_heartbeat_begins_a_new_one() {
    lease.renew(4_000);
    lease.lose();
    assertThat(lease.isValid(4_000)).isFalse();

    lease.renew(2_000);
    assertThat(lease.isValid(6_999)).isTrue();
    assertThat(lease.isValid(7_000)).as("counted from the new heartbeat").isFalse();
  }

  @Test
  void a_monotonic_clock_may_be_negative() {
    lease.renew(-10_000);

    assertThat(lease.isValid(-5_001)).isTrue();
    assertThat(lease.isValid(-5_000)).isFalse();
  }
}
