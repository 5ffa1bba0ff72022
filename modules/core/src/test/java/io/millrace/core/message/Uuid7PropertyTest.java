package io.millrace.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class Uuid7PropertyTest {
  private static final long MS_MAX = (1L << 48) - 1;

  @Property
  void whatever_the_randomness_the_version_and_the_time_are_right(
      @ForAll @LongRange(max = MS_MAX) long atMs, @ForAll long high, @ForAll long low) {
    UUID id = Uuid7.of(atMs, high, low);

    assertThat(Uuid7.isUuid7(id)).isTrue();
    assertThat(Uuid7.timeOf(id).toEpochMilli()).isEqualTo(atMs);
  }

  @Property
  void a_later_one_sorts_behind_an_earlier_one_as_text(
      @ForAll @LongRange(max = MS_MAX - 1) long atMs, @ForAll long high, @ForAll long low) {
    assertThat(Uuid7.of(atMs, high, low).toString())
        .isLessThan(Uuid7.of(atMs + 1, ~high, ~low).toString());
  }
}
