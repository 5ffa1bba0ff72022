package io.millrace.bench.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PayloadsTest {
  @Test
  void a_payload_tells_what_it_belongs_to_and_when_it_was_due() {
    byte[] payload = Payloads.of(9_999, 70_000, 0x0123_4567_89ab_cdefL, 200);
    assertThat(payload).hasSize(200);
    assertThat(Payloads.aggregate(payload)).isEqualTo(9_999);
    assertThat(Payloads.revision(payload)).isEqualTo(70_000);
    assertThat(Payloads.nanos(payload)).isEqualTo(0x0123_4567_89ab_cdefL);
  }

  @Test
  void it_is_text() {
    String text = new String(Payloads.of(1, 2, 3, 60), StandardCharsets.US_ASCII);
    assertThat(text).isEqualTo("00000001-00000002-0000000000000003-Lorem ipsum dolor sit ame");
  }

  @Test
  void a_backlog_gives_every_aggregate_as_many_messages() {
    assertThatThrownBy(() -> new Backlog(15_000, 0, 200))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("multiple of 10000")
        .hasMessageContaining("15000");
  }
}
