package io.millrace.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class BackoffPropertyTest {

  @Property
  void a_delay_is_between_half_of_its_step_and_the_step(
      @ForAll @LongRange(min = 1, max = 60_000) long minMs,
      @ForAll @LongRange(min = 0, max = 86_400_000) long more,
      @ForAll @IntRange(min = 1, max = 40) int failures,
      @ForAll @DoubleRange(min = 0, max = 1, maxIncluded = false) double random) {
    Backoff backoff = new Backoff(minMs, minMs + more);
    double step = Math.min(minMs + more, minMs * Math.pow(2, failures - 1));

    assertThat((double) backoff.delayMs(failures, random))
        .isBetween(Math.max(1, Math.floor(step / 2)), step);
  }

  @Property
  void no_number_of_failures_and_no_limit_makes_it_overflow(
      @ForAll @LongRange(min = 1) long minMs,
      @ForAll @IntRange(min = 1) int failures,
      @ForAll @DoubleRange(min = 0, max = 1, maxIncluded = false) double random) {
    assertThat(new Backoff(minMs, Long.MAX_VALUE).delayMs(failures, random)).isPositive();
  }

  @Property
  void for_the_same_random_number_it_never_shrinks_with_more_failures(
      @ForAll @IntRange(min = 1, max = 100) int failures,
      @ForAll @DoubleRange(min = 0, max = 1, maxIncluded = false) double random) {
    Backoff backoff = new Backoff(50, 30_000);

    assertThat(backoff.delayMs(failures + 1, random))
        .isGreaterThanOrEqualTo(backoff.delayMs(failures, random));
  }

  @Example
  void it_doubles_up_to_the_limit() {
    Backoff backoff = new Backoff(100, 1_000);

    assertThat(backoff.delayMs(1, 0)).isEqualTo(50);
    assertThat(backoff.delayMs(2, 0)).isEqualTo(100);
    assertThat(backoff.delayMs(4, 0)).isEqualTo(400);
    assertThat(backoff.delayMs(5, 0)).isEqualTo(500);
    assertThat(backoff.delayMs(50, 0.999999)).isBetween(990L, 1_000L);
  }

  @Example
  void limits_that_make_no_sense_are_refused() {
    assertThatThrownBy(() -> new Backoff(0, 10)).hasMessageContaining("found 0 and 10");
    assertThatThrownBy(() -> new Backoff(10, 9)).hasMessageContaining("found 10 and 9");
  }
}
