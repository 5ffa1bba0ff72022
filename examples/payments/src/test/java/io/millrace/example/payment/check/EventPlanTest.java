package io.millrace.example.payment.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.Uuid7;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventPlanTest {
  private static final int EVENTS = 20_000;
  private static final long FROM_MS = 1_700_000_000_000L;

  private final EventPlan plan = new EventPlan(42, EVENTS, FROM_MS);

  @Test
  void an_event_is_the_same_whenever_it_is_made() {
    assertThat(plan.event(4_711)).isEqualTo(new EventPlan(42, EVENTS, FROM_MS).event(4_711));
    assertThat(plan.event(4_711)).isNotEqualTo(new EventPlan(43, EVENTS, FROM_MS).event(4_711));
  }

  @Test
  void ids_are_all_different_and_their_times_lie_in_several_buckets() {
    Set<UUID> ids = new HashSet<>();
    for (int i = 0; i < EVENTS; i++) {
      ids.add(plan.event(i).eventId());
    }
    assertThat(ids).hasSize(EVENTS).allMatch(Uuid7::isUuid7);
    long lastMs = Uuid7.timeOf(plan.event(EVENTS - 1).eventId()).toEpochMilli();
    assertThat(lastMs - FROM_MS).isBetween(EventPlan.SPAN_MS * 9 / 10, EventPlan.SPAN_MS);
  }

  @Test
  void a_tenth_is_repeated_at_once_or_later_and_never_before_its_first_time() {
    int repeats = 0;
    int late = 0;
    for (int i = 0; i < EVENTS; i++) {
      long number = i;
      EventPlan.Repeat repeat = plan.repeatAfter(number).orElse(null);
      if (repeat != null) {
        repeats++;
        late += repeat.event() < number ? 1 : 0;
        assertThat(repeat.event()).isBetween(0L, number);
      }
    }
    assertThat(repeats).isBetween(EVENTS / 12, EVENTS / 8);
    assertThat(late).isBetween(repeats / 2, repeats * 4 / 5);
  }
}
