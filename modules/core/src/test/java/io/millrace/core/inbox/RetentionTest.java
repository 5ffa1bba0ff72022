package io.millrace.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RetentionTest {
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  private static TopicSettings topic(OptionalLong retentionMs, long segmentMs) {
    return new TopicSettings("orders", new UUID(0, 1), 6, retentionMs, segmentMs);
  }

  private static Retention.Need need(long keptMs, OptionalLong retentionMs, long segmentMs) {
    return new Retention(keptMs, 3 * DAY, DAY / 4)
        .needs(List.of(topic(retentionMs, segmentMs)))
        .get(0);
  }

  @Test
  void the_sum_of_all_that_can_hold_a_message_back_and_a_margin_is_needed() {
    Retention.Need need = need(30 * DAY, OptionalLong.of(7 * DAY), 7 * DAY);

    assertThat(need.neededMs()).hasValue(18 * DAY + DAY / 4);
    assertThat(need.isMet()).isTrue();
  }

  @Test
  void exactly_enough_is_enough_and_a_millisecond_less_is_not() {
    long needed = 18 * DAY + DAY / 4;

    assertThat(need(needed, OptionalLong.of(7 * DAY), 7 * DAY).isMet()).isTrue();
    assertThat(need(needed - 1, OptionalLong.of(7 * DAY), 7 * DAY).isMet()).isFalse();
  }

  @Test
  void nothing_is_long_enough_for_a_topic_that_keeps_records_for_ever() {
    Retention.Need need = need(Long.MAX_VALUE, OptionalLong.empty(), DAY);

    assertThat(need.isMet()).isFalse();
    assertThat(need.neededMs()).isEmpty();
    assertThat(need.text()).contains("orders").contains("for ever");
  }

  @Test
  void absurdly_large_settings_do_not_overflow() {
    Retention.Need need = need(30 * DAY, OptionalLong.of(Long.MAX_VALUE), Long.MAX_VALUE);

    assertThat(need.isMet()).isFalse();
    assertThat(need.neededMs()).hasValue(Long.MAX_VALUE);
  }

  @Test
  void the_text_names_every_number() {
    assertThat(need(3 * DAY, OptionalLong.of(7 * DAY), 3_600_000).text())
        .isEqualTo(
            "topic orders needs ids for 271 h (retention.ms 7 d + segment.ms 1 h + relay.dwell_max_ms 3 d"
                + " + maintenance.retention_ms 6 h + margin 1 d), and inbox.retention_days keeps them for 3 d");
  }
}
