package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThrottleTest {
  private long now = 17;
  private final Throttle throttle = new Throttle(3, 0.5, () -> now);

  @Test
  void a_name_takes_what_its_bucket_holds_and_then_waits() {
    for (int i = 0; i < 3; i++) {
      assertThat(throttle.take("a")).isTrue();
    }
    assertThat(throttle.take("a")).isFalse();
    assertThat(throttle.secondsUntilNext("a")).isEqualTo(2);
    now += TimeUnit.MILLISECONDS.toNanos(1_999);
    assertThat(throttle.take("a")).isFalse();
    now += TimeUnit.MILLISECONDS.toNanos(2);
    assertThat(throttle.take("a")).isTrue();
    assertThat(throttle.take("a")).isFalse();
  }

  @Test
  void one_name_does_not_take_from_another() {
    while (throttle.take("a")) {
      assertThat(throttle.names()).isEqualTo(1);
    }
    assertThat(throttle.hasLeft("a")).isFalse();
    assertThat(throttle.hasLeft("b")).isTrue();
  }

  @Test
  void a_long_rest_fills_a_bucket_no_further_than_to_the_brim() {
    throttle.take("a");
    now += TimeUnit.DAYS.toNanos(1);
    for (int i = 0; i < 3; i++) {
      assertThat(throttle.take("a")).isTrue();
    }
    assertThat(throttle.take("a")).isFalse();
  }

  @Test
  void however_many_names_come_few_are_kept() {
    for (int i = 0; i < 3 * Throttle.NAMES_MAX; i++) {
      throttle.take("name " + i);
    }
    assertThat(throttle.names()).isEqualTo(Throttle.NAMES_MAX);
  }
}
