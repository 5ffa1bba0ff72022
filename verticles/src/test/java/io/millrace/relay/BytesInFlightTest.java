package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BytesInFlightTest {
  private final BytesInFlight bytes = new BytesInFlight(100);
  private final List<String> told = new ArrayList<>();

  @Test
  void a_pass_has_room_only_within_the_bound_but_one_always_has() {
    assertThat(bytes.tryReserve(500, () -> {})).isTrue();
    assertThat(bytes.tryReserve(1, () -> {})).isFalse();
    bytes.unreserve(500);
    assertThat(bytes.tryReserve(60, () -> {})).isTrue();
    assertThat(bytes.tryReserve(60, () -> {})).isFalse();
    bytes.add(40);
    bytes.unreserve(60);
    assertThat(bytes.tryReserve(60, () -> {})).isTrue();
    assertThat(bytes.bytes()).isEqualTo(40);
  }

  @Test
  void who_waits_is_told_in_turn_and_only_while_there_is_room() {
    bytes.add(100);
    bytes.tryReserve(60, () -> reserve("first"));
    bytes.tryReserve(60, () -> reserve("second"));
    bytes.remove(10);
    assertThat(told).containsExactly("first has no room", "second has no room");
    told.clear();
    bytes.remove(90);
    assertThat(told).containsExactly("first", "second has no room");
  }

  @Test
  void small_messages_count_for_what_they_take_beside_their_payload() {
    OutboxMessage message = Messages.of(1, "o-1");
    assertThat(BytesInFlight.of(List.of(message, message)))
        .isEqualTo(2 * (message.bytes() + 2_000));
    assertThat(BytesInFlight.most(new ReadBounds(10, 5_000, 1_000))).isEqualTo(25_000);
  }

  private void reserve(String name) {
    told.add(bytes.tryReserve(60, () -> reserve(name)) ? name : name + " has no room");
  }
}
