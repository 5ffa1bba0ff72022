package io.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FiguresTest {
  private final Figures figures = new Figures();

  @Test
  void a_ratio_compares_within_a_round() {
    add(0, "one", 10);
    add(0, "two", 20);
    // The machine was ten times as fast.
    add(1, "one", 100);
    add(1, "two", 200);
    assertThat(figures.ratio("relay", "1 kB", "per_s", "two", "one")).contains(new Spread(2, 2, 2));
  }

  @Test
  void a_round_without_the_other_one_is_not_compared() {
    add(0, "one", 10);
    add(1, "one", 10);
    add(1, "two", 30);
    assertThat(figures.ratio("relay", "1 kB", "per_s", "two", "one")).contains(new Spread(3, 3, 3));
    assertThat(figures.ratio("relay", "1 kB", "per_s", "three", "one")).isEmpty();
  }

  @Test
  void a_spread_shows_the_least_the_middle_and_the_greatest() {
    assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(1, 2, 3));
    assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(new Spread(1, 2.5, 4));
    assertThat(new Spread(1_000, 1_500.4, 2_000).text(0)).isEqualTo("1,500 (1,000..2,000)");
  }

  @Test
  void no_subject_is_always_measured_first() {
    List<String> subjects = List.of("a", "b", "c");
    assertThat(Bench.turned(subjects, 0)).containsExactly("a", "b", "c");
    assertThat(Bench.turned(subjects, 1)).containsExactly("b", "c", "a");
    assertThat(Bench.turned(subjects, 3)).containsExactly("a", "b", "c");
  }

  private void add(int round, String subject, double value) {
    figures.add(new Figure("relay", "1 kB", round, subject, Map.of("per_s", value), Map.of()));
  }
}
