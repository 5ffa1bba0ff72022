package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Snapshot;
import io.millrace.port.Position;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LookoutTest {
  private static final Position AT_9 = new Position(new Snapshot("5:5:"), 9, Incarnation.NONE);

  private final List<Integer> signalled = new ArrayList<>();
  private final List<Map<Integer, Long>> asked = new ArrayList<>();
  private Map<Integer, Long> heads = Map.of(1, 4L, 2, 8L);
  private Future<List<Integer>> answer = Future.succeededFuture(List.of(2));

  private final Lookout lookout =
      new Lookout(
          new Lookout.Shards() {
            @Override
            public Map<Integer, Long> idleHeadsBelow(long sequence) {
              assertThat(sequence).isEqualTo(AT_9.sequence());
              return heads;
            }

            @Override
            public void signal(int shard) {
              signalled.add(shard);
            }
          },
          idle -> {
            asked.add(idle);
            return answer;
          },
          new PollDelay(5, 500));

  @Test
  void who_has_something_beyond_its_head_is_signalled() {
    assertThat(lookout.look(AT_9, 0).succeeded()).isTrue();
    assertThat(asked).containsExactly(heads);
    assertThat(signalled).containsExactly(2);
  }

  @Test
  void it_looks_when_it_is_time_and_not_before() {
    lookout.look(AT_9, 0);
    assertThat(lookout.isDue(4)).isFalse();
    lookout.look(AT_9, 4);
    assertThat(asked).hasSize(1);
    assertThat(lookout.isDue(5)).isTrue();
    lookout.look(AT_9, 5);
    assertThat(asked).hasSize(2);
  }

  @Test
  void nobody_is_asked_while_every_shard_reads_or_has_read_all() {
    heads = Map.of();
    lookout.look(AT_9, 0);
    assertThat(asked).isEmpty();
  }

  @Test
  void looks_in_vain_become_seldom() {
    answer = Future.succeededFuture(List.of());
    lookout.look(AT_9, 0);
    lookout.look(AT_9, 5);
    assertThat(lookout.isDue(14)).isFalse();
    assertThat(lookout.isDue(15)).isTrue();
    assertThat(signalled).isEmpty();
  }

  @Test
  void a_failure_is_left_to_those_who_read() {
    answer = Future.failedFuture("gone");
    assertThat(lookout.look(AT_9, 0).succeeded()).isTrue();
    assertThat(signalled).isEmpty();
  }
}
