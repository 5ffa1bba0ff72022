package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ring.SlotState;
import io.millrace.port.SlotStatus;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CleaningReasonTest {
  private static final long RETENTION_MS = 90_000;
  private static final Instant PUBLISHED_AT = Instant.parse("2026-03-01T10:00:00Z");

  @Test
  void a_free_slot_needs_no_reason() {
    assertThat(reason("free", null)).isNull();
  }

  @Test
  void a_free_slot_that_is_not_dropped_says_why() {
    assertThat(reason("free", "a prepared transaction has used the outbox"))
        .isEqualTo(
            "not needed for long, but not dropped yet: a prepared transaction has used the outbox");
  }

  @Test
  void a_detached_slot_is_about_to_go() {
    assertThat(reason("detached", null)).isEqualTo("empty and out of the ring, to be dropped");
  }

  @Test
  void the_hot_slot_receives_new_messages() {
    assertThat(reason("hot", null)).isEqualTo("receives new messages");
  }

  @ParameterizedTest
  @EnumSource(SlotState.class)
  void the_current_slot_receives_new_messages_whatever_its_state_says(SlotState state) {
    SlotStatus slot = slot(state.name().toLowerCase(Locale.ROOT), true, PUBLISHED_AT, "postponed");
    assertThat(CleaningReason.of(slot, RETENTION_MS)).isEqualTo("receives new messages");
  }

  @Test
  void a_draining_slot_waits_for_the_relays() {
    assertThat(reason("draining", null)).isEqualTo("waiting for the relays");
  }

  @ParameterizedTest
  @ValueSource(strings = {"attaching", "draining", "published", "detached"})
  void the_reason_of_the_last_attempt_comes_first(String state) {
    assertThat(reason(state, "shard 3 has no receipt")).isEqualTo("shard 3 has no receipt");
  }

  @Test
  void a_published_slot_is_kept_for_the_retention() {
    assertThat(reason("published", null))
        .isEqualTo("kept until 2026-03-01T10:01:30Z (retention 90000 ms)");
  }

  @Test
  void a_published_slot_without_a_time_still_has_a_reason() {
    SlotStatus slot = slot("published", false, null, null);
    assertThat(CleaningReason.of(slot, RETENTION_MS))
        .isEqualTo("kept for a while (retention 90000 ms)");
  }

  @Test
  void a_slot_on_its_way_into_the_ring_says_what_it_waits_for() {
    assertThat(reason("attaching", null))
        .isEqualTo("waiting for transactions that began before it was attached");
    assertThat(reason("next", null)).isEqualTo("chosen to receive new messages next");
  }

  @ParameterizedTest
  @EnumSource(SlotState.class)
  void every_state_is_known(SlotState state) {
    String reason = reason(state.name().toLowerCase(Locale.ROOT), null);
    assertThat(reason == null ? "" : reason).doesNotContain("does not know");
  }

  @Test
  void a_state_from_the_future_is_named() {
    assertThat(reason("frozen", null))
        .isEqualTo("in a state that this version does not know: frozen");
  }

  private static @Nullable String reason(String state, @Nullable String postponed) {
    return CleaningReason.of(slot(state, false, PUBLISHED_AT, postponed), RETENTION_MS);
  }

  private static SlotStatus slot(
      String state, boolean isCurrent, @Nullable Instant publishedAt, @Nullable String postponed) {
    return new SlotStatus(
        1, state, isCurrent, 0, true, 0, 0, null, null, null, publishedAt, null, postponed);
  }
}
