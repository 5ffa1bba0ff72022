package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PollDelayTest {
  private final PollDelay delay = new PollDelay(5, 500);

  @Test
  void looks_that_find_nothing_become_seldom_up_to_the_limit() {
    long nowMs = 0;
    for (int i = 0; i < 20; i++) {
      delay.backOff(nowMs);
    }
    assertThat(delay.isDue(nowMs + 499)).isFalse();
    assertThat(delay.isDue(nowMs + 500)).isTrue();
  }

  @Test
  void looks_that_find_something_become_frequent_down_to_the_limit() {
    for (int i = 0; i < 20; i++) {
      delay.backOff(0);
    }
    for (int i = 0; i < 10; i++) {
      delay.found(0);
    }
    assertThat(delay.isDue(4)).isFalse();
    assertThat(delay.isDue(5)).isTrue();
  }
}
