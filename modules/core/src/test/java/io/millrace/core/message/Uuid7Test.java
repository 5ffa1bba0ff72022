package io.millrace.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class Uuid7Test {

  /** The example of RFC 9562, appendix A.6. */
  private static final UUID EXAMPLE = UUID.fromString("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");

  private static final long EXAMPLE_MS = 1_645_557_742_000L;

  @Test
  void the_example_of_the_rfc_is_built_from_its_parts() {
    assertThat(Uuid7.of(EXAMPLE_MS, 0xCC3, 0x18C4DC0C0C07398FL)).isEqualTo(EXAMPLE);
  }

  @Test
  void the_time_of_the_example_is_found() {
    assertThat(Uuid7.timeOf(EXAMPLE)).isEqualTo(Instant.parse("2022-02-22T19:22:22Z"));
  }

  @Test
  void another_version_or_variant_is_none() {
    UUID version4 = UUID.fromString("017F22E2-79B0-4CC3-98C4-DC0C0C07398F");
    UUID otherVariant = UUID.fromString("017F22E2-79B0-7CC3-D8C4-DC0C0C07398F");
    assertThat(Uuid7.isUuid7(version4)).isFalse();
    assertThat(Uuid7.isUuid7(otherVariant)).isFalse();
    assertThatThrownBy(() -> Uuid7.timeOf(version4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(version4.toString());
  }

  @Test
  void a_time_outside_48_bits_is_refused() {
    assertThatThrownBy(() -> Uuid7.of(-1, 0, 0)).hasMessageContaining("found -1");
    assertThatThrownBy(() -> Uuid7.of(1L << 48, 0, 0))
        .hasMessageContaining("found 281474976710656");
  }
}
