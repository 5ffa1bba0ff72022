package io.millrace.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BatchLimitTest {
  private static final long LIMIT_MS = 1_000;

  private final BatchLimit limit = new BatchLimit(200, LIMIT_MS);

  private void grow() {
    while (limit.rows() < 200) {
      limit.passed(limit.rows(), 1);
    }
  }

  private void calm(int batches) {
    for (int i = 0; i < batches; i++) {
      limit.passed(1, 1);
    }
  }

  @Test
  void it_begins_small_and_doubles_with_every_full_batch() {
    assertThat(limit.rows()).isEqualTo(16);
    limit.passed(16, 1);
    assertThat(limit.rows()).isEqualTo(32);
    limit.passed(5, 1);
    assertThat(limit.rows()).isEqualTo(32);
    grow();
    assertThat(limit.rows()).isEqualTo(200);
    assertThat(new BatchLimit(3, LIMIT_MS).rows()).isEqualTo(3);
  }

  @Test
  void a_collision_halves_it_down_to_one() {
    grow();
    limit.collided();
    assertThat(limit.rows()).isEqualTo(100);
    for (int i = 0; i < 20; i++) {
      limit.collided();
    }
    assertThat(limit.rows()).isEqualTo(1);
  }

  @Test
  void it_doubles_again_after_calm_batches_and_never_above_its_maximum() {
    grow();
    limit.collided();
    limit.collided();
    calm(BatchLimit.CALM_BATCHES - 1);
    assertThat(limit.rows()).isEqualTo(50);
    calm(1);
    assertThat(limit.rows()).isEqualTo(100);
    calm(10 * BatchLimit.CALM_BATCHES);
    assertThat(limit.rows()).isEqualTo(200);
  }

  @Test
  void a_collision_begins_the_calm_anew() {
    grow();
    limit.collided();
    calm(BatchLimit.CALM_BATCHES - 1);
    limit.collided();
    calm(1);
    assertThat(limit.rows()).isEqualTo(50);
  }

  @Test
  void a_batch_that_took_more_than_a_quarter_of_the_time_halves_it() {
    limit.passed(16, LIMIT_MS / 4);
    assertThat(limit.rows()).isEqualTo(32);
    limit.passed(32, LIMIT_MS / 4 + 1);
    assertThat(limit.rows()).isEqualTo(16);
  }

  @Test
  void less_than_one_row_is_refused() {
    assertThatThrownBy(() -> new BatchLimit(0, 1)).hasMessageContaining("found 0");
  }
}
