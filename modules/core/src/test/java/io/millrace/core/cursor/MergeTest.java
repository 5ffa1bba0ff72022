package io.millrace.core.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.Messages;
import io.millrace.core.message.OutboxMessage;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MergeTest {
  private static final ReadBounds BOUNDS = new ReadBounds(3, 1_000_000, 1_000);
  private static final Snapshot BEFORE = new Snapshot("10:10:");
  private static final Snapshot NOW = new Snapshot("50:50:");

  private static Merge.Side side(long head, long lateTo, long newTo, long... ids) {
    List<OutboxMessage> messages =
        LongStream.of(ids).mapToObj(id -> Messages.of(id, "a", "orders")).toList();
    return new Merge.Side(
        Cursor.of(BEFORE, head),
        new ReadResult(NOW, 900, new Incarnation("life"), lateTo, newTo, messages));
  }

  @Test
  void what_is_left_of_both_up_to_the_larger_head_goes_in_id_order_and_makes_them_one() {
    Merge merge =
        Merge.of(side(100, 100, 900, 40, 120), side(80, 80, 900, 90, 95), BOUNDS).orElseThrow();
    assertThat(merge.messages()).extracting(OutboxMessage::id).containsExactly(40L, 90L, 95L);
    assertThat(merge.cursor()).isEqualTo(Cursor.of(NOW, 100));
  }

  @Test
  void late_rows_count_although_the_heads_are_equal() {
    Merge merge = Merge.of(side(100, 100, 900), side(100, 100, 900, 70), BOUNDS).orElseThrow();
    assertThat(merge.messages()).extracting(OutboxMessage::id).containsExactly(70L);
  }

  @Test
  void an_answer_cut_below_the_head_does_not_merge_but_one_cut_above_it_does() {
    assertThat(Merge.of(side(100, 100, 900), side(80, 80, 900, 81, 82, 83), BOUNDS)).isEmpty();
    assertThat(Merge.of(side(100, 100, 900), side(80, 80, 900, 81, 82, 101), BOUNDS)).isPresent();
  }

  @Test
  void a_range_that_was_not_scanned_to_the_head_does_not_merge() {
    assertThat(Merge.of(side(100, 100, 900), side(80, 80, 99), BOUNDS)).isEmpty();
    assertThat(Merge.of(side(100, 60, 100), side(80, 80, 900), BOUNDS)).isEmpty();
    assertThat(Merge.of(side(100, 100, 900), side(80, 50, 80), BOUNDS)).isEmpty();
  }

  @Test
  void a_lane_that_is_ahead_moves_the_main_lane_to_its_head() {
    Merge merge = Merge.of(side(100, 100, 900, 101), side(110, 110, 900), BOUNDS).orElseThrow();
    assertThat(merge.messages()).extracting(OutboxMessage::id).containsExactly(101L);
    assertThat(merge.cursor().head()).isEqualTo(110);
  }

  @Test
  void two_snapshots_or_a_sweep_are_refused() {
    Merge.Side main = side(100, 100, 900);
    ReadResult other = new ReadResult(BEFORE, 900, new Incarnation("life"), 100, 900, List.of());
    assertThatThrownBy(() -> Merge.of(main, new Merge.Side(Cursor.of(BEFORE, 100), other), BOUNDS))
        .hasMessageContaining("one snapshot");
    Cursor sweeping = new Cursor(BEFORE, 100, new Sweep.Tail(200));
    assertThatThrownBy(() -> Merge.of(main, new Merge.Side(sweeping, main.result()), BOUNDS))
        .hasMessageContaining("sweep");
  }
}
