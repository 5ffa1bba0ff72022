package io.millrace.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.Payload;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class StripesPropertyTest {

  @Property
  void a_key_always_has_the_same_stripe_of_those_there_are(
      @ForAll byte[] key, @ForAll @IntRange(min = 1, max = 64) int count) {
    int stripe = Stripes.of(Payload.of(key), count);

    assertThat(stripe).isBetween(0, count - 1);
    assertThat(Stripes.of(Payload.of(key.clone()), count)).isEqualTo(stripe);
  }

  @Example
  void keys_that_count_up_are_spread_evenly() {
    int[] rows = new int[8];
    for (int i = 0; i < 8_000; i++) {
      rows[Stripes.of(Payload.of("customer-" + i), 8)]++;
    }
    for (int stripe : rows) {
      assertThat(stripe).isBetween(700, 1_300);
    }
  }

  @Example
  void records_without_a_key_stay_together() {
    assertThat(Stripes.of(null, 8)).isZero();
  }
}
