package io.millrace.example.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.spatial.FeatureMessage;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CellBoardTest {
  private final CellBoard board = new CellBoard();

  @Test
  void messages_that_come_in_another_order_end_with_the_newest_state() {
    show(2, 2L, "move");
    show(1, 2L, "create");

    assertThat(board.stale(Map.of("7", 2L))).isEmpty();
    assertThat(board.arrived()).isEqualTo(2);
  }

  @Test
  void what_is_gone_is_not_shown_any_more_and_what_was_missed_is_told() {
    show(1, 1L, "create");
    show(2, null, "retire");

    assertThat(board.stale(Map.of())).isEmpty();
    assertThat(board.stale(Map.of("8", 3L)))
        .containsExactly("vehicle 8: version 3 in the database, null shown");
  }

  private void show(long eventVersion, Long geometryVersion, String action) {
    String feature =
        "{\"feature_id\":\"7\",\"action\":\"%s\",\"event_version\":%d,\"geometry_version\":%s,\"routing_key\":\"88\"}"
            .formatted(action, eventVersion, geometryVersion);
    board.show(FeatureMessage.parse(feature.getBytes()));
  }
}
