package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.OutboxMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

class NarrowingTest {
  private final Narrowing narrowing = new Narrowing();

  private static OutboxMessage message(long id) {
    return Messages.of(id, "1");
  }

  @Test
  void nothing_is_narrowed_before_a_refusal() {
    assertThat(narrowing.rowsMax(200)).isEqualTo(200);
    assertThat(narrowing.batchesMax(4)).isEqualTo(4);
  }

  @Test
  void what_stands_before_the_refused_message_goes_by_itself_then_that_message_alone() {
    narrowing.refused(message(10), 7);
    assertThat(narrowing.rowsMax(200)).isEqualTo(7);
    assertThat(narrowing.batchesMax(4)).isEqualTo(1);
    narrowing.recorded(List.of(message(8), message(9)));
    assertThat(narrowing.rowsMax(200)).isEqualTo(1);
  }

  @Test
  void it_ends_when_the_refused_message_has_been_recorded_and_not_before() {
    narrowing.refused(message(10), 0);
    assertThat(narrowing.rowsMax(200)).isEqualTo(1);
    narrowing.recorded(List.of(message(3)));
    assertThat(narrowing.rowsMax(200)).isEqualTo(1);
    narrowing.recorded(List.of());
    assertThat(narrowing.rowsMax(200)).isEqualTo(1);
    narrowing.recorded(List.of(message(10)));
    assertThat(narrowing.rowsMax(200)).isEqualTo(200);
  }
}
