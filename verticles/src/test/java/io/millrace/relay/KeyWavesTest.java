package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.OutboxMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyWavesTest {
  @Test
  void a_wave_has_one_message_of_a_key_and_the_waves_keep_each_keys_order() {
    OutboxMessage a1 = Messages.of(1, "a");
    OutboxMessage b1 = Messages.of(2, "b");
    OutboxMessage a2 = Messages.of(3, "a");
    OutboxMessage a3 = Messages.of(4, "a");
    OutboxMessage b2 = Messages.of(5, "b");

    assertThat(KeyWaves.waves(List.of(a1, b1, a2, a3, b2)))
        .containsExactly(List.of(a1, b1), List.of(a2, b2), List.of(a3));
  }
}
