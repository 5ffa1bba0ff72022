package io.millrace.core.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The cursor against a model of PostgreSQL, in random orders of events. A seed repeats a run:
 * {@code -Dseed=42} runs that one alone.
 */
class CursorSimTest {
  private static final int FIXED_SEEDS = 12;
  private static final int SEEDS_TO_FIND_A_FLAW = 60;

  static Stream<Long> seeds() {
    Long given = Long.getLong("seed");
    if (given != null) {
      return Stream.of(given);
    }
    long random = ThreadLocalRandom.current().nextLong(1, Integer.MAX_VALUE);
    return LongStream.concat(LongStream.rangeClosed(1, FIXED_SEEDS), LongStream.of(random)).boxed();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void without_restarts_everything_comes_once_and_in_order(long seed) {
    assertThat(run(seed, SimSettings.calm(Flaw.NONE))).isPositive();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void with_restarts_and_refusals_nothing_is_lost_and_first_occurrences_are_in_order(long seed) {
    assertThat(run(seed, SimSettings.rough(Flaw.NONE))).isPositive();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void with_wide_bounds_late_rows_come_along_with_new_ones(long seed) {
    run(seed, SimSettings.wide(Flaw.NONE));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void a_flaw_in_the_model_is_found(Flaw flaw) {
    List<String> found = new ArrayList<>();
    for (long seed = 1; seed <= SEEDS_TO_FIND_A_FLAW && found.isEmpty(); seed++) {
      for (SimSettings settings :
          List.of(SimSettings.calm(flaw), SimSettings.rough(flaw), SimSettings.wide(flaw))) {
        try {
          new CursorSim(seed, settings).run();
        } catch (CursorInvariants.Broken broken) {
          found.add("seed " + seed + ": " + broken.getMessage());
        }
      }
    }
    System.out.println(flaw + " was found by " + found);
    assertThat(found).as("what %s breaks", flaw).isNotEmpty();
  }

  @Test
  void a_run_is_repeated_by_its_seed() {
    SimSettings settings = SimSettings.rough(Flaw.NONE);
    assertThat(new CursorSim(7, settings).run()).isEqualTo(new CursorSim(7, settings).run());
  }

  private static int run(long seed, SimSettings settings) {
    System.out.println("seed " + seed);
    try {
      return new CursorSim(seed, settings).run();
    } catch (CursorInvariants.Broken broken) {
      throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
    }
  }
}
