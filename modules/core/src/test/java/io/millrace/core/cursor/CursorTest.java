package io.millrace.core.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The states of a sweep one by one; that they fit together is for the simulation to show. */
class CursorTest {
  private static final Snapshot SEEN = new Snapshot("10:20:12");
  private static final Snapshot NOW = new Snapshot("15:30:");
  private static final ReadBounds BOUNDS = new ReadBounds(10, 1_000, 50);

  @Test
  void without_a_sweep_it_reads_onward() {
    assertThat(Cursor.of(SEEN, 100).nextRead(BOUNDS)).isEqualTo(new Read.Onward(SEEN, 100));
  }

  @Test
  void a_pass_that_scanned_both_ranges_moves_snapshot_and_head() {
    Cursor before = Cursor.of(SEEN, 100);

    assertThat(before.after(before.nextRead(BOUNDS), nothing(100, 130), BOUNDS))
        .isEqualTo(Cursor.of(NOW, 130));
  }

  @Test
  void a_late_range_that_is_too_long_begins_a_sweep() {
    Cursor before = Cursor.of(SEEN, 100);
    Cursor sweeping = before.after(before.nextRead(BOUNDS), nothing(60, 100), BOUNDS);

    assertThat(sweeping).isEqualTo(new Cursor(SEEN, 100, new Sweep.Late(NOW, 60, 130)));
    assertThat(sweeping.nextRead(BOUNDS)).isEqualTo(new Read.Chunk(60, 100, NOW, SEEN));
    assertThat(sweeping.sweepUnderWay()).isPresent();
  }

  @Test
  void a_sweep_goes_on_behind_its_late_part_up_to_what_its_target_sees() {
    Cursor late = new Cursor(SEEN, 100, new Sweep.Late(NOW, 60, 180));
    Cursor tail = late.after(late.nextRead(BOUNDS), nothing(100, 100), BOUNDS);
    assertThat(tail).isEqualTo(new Cursor(NOW, 100, new Sweep.Tail(180)));

    assertThat(tail.nextRead(BOUNDS)).isEqualTo(new Read.Chunk(100, 150, NOW, null));
    Cursor further = tail.after(tail.nextRead(BOUNDS), nothing(150, 150), BOUNDS);
    assertThat(further).isEqualTo(new Cursor(NOW, 150, new Sweep.Tail(180)));

    assertThat(further.nextRead(BOUNDS)).isEqualTo(new Read.Chunk(150, 180, NOW, null));
    assertThat(further.after(further.nextRead(BOUNDS), nothing(180, 180), BOUNDS))
        .isEqualTo(Cursor.of(NOW, 180));
  }

  @Test
  void a_sweep_whose_target_sees_nothing_above_the_head_ends_with_its_late_part() {
    Cursor late = new Cursor(SEEN, 100, new Sweep.Late(NOW, 60, 100));

    assertThat(late.after(late.nextRead(BOUNDS), nothing(100, 100), BOUNDS))
        .isEqualTo(Cursor.of(NOW, 100));
  }

  @Test
  void there_is_more_while_a_range_or_a_sweep_is_not_done() {
    Cursor cursor = Cursor.of(SEEN, 100);

    assertThat(cursor.hasMore(nothing(100, 130), BOUNDS)).isFalse();
    assertThat(cursor.hasMore(nothing(100, 129), BOUNDS)).as("new ids left").isTrue();
    assertThat(cursor.hasMore(nothing(99, 130), BOUNDS)).as("late ids left").isTrue();
    assertThat(new Cursor(SEEN, 100, new Sweep.Tail(130)).hasMore(nothing(130, 130), BOUNDS))
        .as("a sweep is under way")
        .isTrue();
  }

  @Test
  void bounds_that_read_nothing_are_refused() {
    assertThatThrownBy(() -> new ReadBounds(0, 1, 1)).hasMessageContaining("found 0, 1, 1");
    assertThatThrownBy(() -> new ReadBounds(1, 0, 1)).hasMessageContaining("found 1, 0, 1");
    assertThatThrownBy(() -> new ReadBounds(1, 1, 0)).hasMessageContaining("found 1, 1, 0");
  }

  @Test
  void an_absent_incarnation_is_not_even_itself() {
    Incarnation life = new Incarnation("a/1/2/3");

    assertThat(life.isSameAs(new Incarnation("a/1/2/3"))).isTrue();
    assertThat(life.isSameAs(new Incarnation("a/1/2/4"))).isFalse();
    assertThat(Incarnation.NONE.isSameAs(Incarnation.NONE)).isFalse();
    assertThat(life.isSameAs(Incarnation.NONE)).isFalse();
  }

  private static ReadResult nothing(long lateTo, long newTo) {
    return new ReadResult(NOW, 130, new Incarnation("life"), lateTo, newTo, List.of());
  }
}
