package io.millrace.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.InboxMessage;
import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.Identity;
import io.millrace.core.inbox.IdentityRule.Finding;
import io.millrace.core.inbox.ParkReason;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.message.Payload;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SiftingTest {
  private static final Chain CHAIN = new Chain("c", "t", new UUID(0, 7), 0);

  private static Item item(long offset, String key) {
    Identity identity = new Identity(new UUID(0, offset), offset);
    return new Item(record(offset, key), new Finding(identity, ""));
  }

  private static Item unknown(long offset, String key) {
    return new Item(record(offset, key), new Finding(null, "no id"));
  }

  private static ReceivedRecord record(long offset, String key) {
    return new ReceivedRecord(
        "t", 0, offset, 0, 0, key == null ? null : Payload.of(key), null, List.of());
  }

  private static List<Long> offsets(Sifting sifting) {
    return sifting.messages().stream()
        .map(InboxMessage::record)
        .map(ReceivedRecord::offset)
        .toList();
  }

  @Test
  void new_messages_are_applied_by_key_then_by_offset() {
    Sifting sifting = new Sifting(CHAIN, false, null);
    sifting.sift(
        List.of(item(1, "b"), item(2, "a"), item(3, "b"), item(4, null)),
        List.of("new", "new", "new", "new"));

    assertThat(offsets(sifting)).containsExactly(4L, 2L, 1L, 3L);
    assertThat(sifting.outcome()).isEqualTo(new Outcome.Applied(4, 0, 0));
  }

  @Test
  void duplicates_are_counted_and_left_alone() {
    Sifting sifting = new Sifting(CHAIN, false, null);
    sifting.sift(List.of(item(1, "a"), item(2, "a")), List.of("duplicate", "new"));

    assertThat(offsets(sifting)).containsExactly(2L);
    assertThat(sifting.outcome()).isEqualTo(new Outcome.Applied(1, 1, 0));
  }

  @Test
  void records_without_an_identity_take_no_status_of_others() {
    Sifting sifting = new Sifting(CHAIN, false, null);
    sifting.sift(List.of(item(1, "a"), unknown(2, "a"), item(3, "a")), List.of("duplicate", "new"));

    assertThat(offsets(sifting)).containsExactly(3L);
    assertThat(sifting.reasons()).containsExactly(ParkReason.NO_IDENTITY);
  }

  @Test
  void with_order_what_follows_a_parked_message_of_the_batch_is_parked_behind_it() {
    Sifting sifting = new Sifting(CHAIN, true, null);
    sifting.sift(
        List.of(unknown(1, "a"), item(2, "a"), item(3, "b"), item(4, null)),
        List.of("new", "new", "new"));

    assertThat(offsets(sifting)).containsExactly(4L, 3L);
    assertThat(sifting.reasons()).containsExactly(ParkReason.NO_IDENTITY, ParkReason.BEHIND_PARKED);
  }

  @Test
  void a_message_beyond_the_window_blocks_nobody() {
    Sifting sifting = new Sifting(CHAIN, true, null);
    sifting.sift(List.of(item(1, "a"), item(2, "a")), List.of("beyond_dedup_window", "new"));

    assertThat(offsets(sifting)).containsExactly(2L);
  }

  @Test
  void a_verdict_parks_what_is_new_and_lets_a_duplicate_be() {
    Verdict verdict = new Verdict(ParkReason.FAILED, "five times\0", 5);
    Sifting fresh = new Sifting(CHAIN, false, verdict);
    fresh.sift(List.of(item(1, "a")), List.of("new"));
    Sifting repeated = new Sifting(CHAIN, false, verdict);
    repeated.sift(List.of(item(1, "a")), List.of("duplicate"));

    assertThat(fresh.reasons()).containsExactly(ParkReason.FAILED);
    assertThat(fresh.parked().get(0).getString(15)).isEqualTo("five times\u2400");
    assertThat(repeated.reasons()).isEmpty();
  }
}
