package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A shard that an operator takes out of work, and puts back. */
@Tag("any-database")
class PauseIT {
  private static final String TOPIC = "paused";
  private static final int PAUSED = 2;

  private final DevStack stack = SharedStack.get();
  private Stand stand;

  @BeforeEach
  void lay() {
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stand = new Stand(stack);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  @Test
  void a_paused_shard_stands_still_the_others_are_spread_and_a_resumed_one_goes_on_in_order()
      throws Exception {
    Stand.Node first = stand.start(Map.of());
    Stand.Node second = stand.start(Map.of());
    awaitSpread("2,2");
    String paused = stand.orderOfShard(PAUSED);
    String other = stand.orderOfShard(1);
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      append(paused, "before-", 20);
      arrivals.await(20);

      stand.sql("select millrace.pause_shard(" + PAUSED + ", 'tester', 'looking')");
      awaitSpread("1,2");
      assertThat(stand.text("select owner from millrace.shard where shard = " + PAUSED))
          .isEqualTo("null");
      append(paused, "meanwhile-", 20);
      append(other, "other-", 20);
      arrivals.awaitPayloads(payloads("other-", 20));
      assertThat(Arrivals.texts(arrivals.read())).noneMatch(p -> p.startsWith("meanwhile-"));
      for (Stand.Node node : List.of(first, second)) {
        assertThat(node.pages().ready().isReady()).isTrue();
        assertThat(node.pages().shard(PAUSED).getBoolean("paused")).isTrue();
        assertThat(node.pages().shard(PAUSED).getLong("backlog")).isEqualTo(20);
      }

      stand.sql("select millrace.resume_shard(" + PAUSED + ", 'tester')");
      List<String> all = arrivals.awaitPayloads(payloads("meanwhile-", 20));
      assertThat(all).doesNotHaveDuplicates();
      assertThat(all.stream().filter(p -> p.startsWith("meanwhile-")))
          .isEqualTo(payloads("meanwhile-", 20));
      awaitSpread("2,2");
    }
  }

  /** Shards of each owner. */
  private void awaitSpread(String expected) {
    await("shards owned " + expected)
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () ->
                stand
                    .text(
                        "select string_agg(c::text, ',' order by c) from (select count(*) as c from"
                            + " millrace.shard where owner is not null group by owner) s")
                    .equals(expected));
  }

  private void append(String order, String prefix, int count) throws Exception {
    for (String payload : payloads(prefix, count)) {
      stand.sql(Stand.append(TOPIC, order, payload));
    }
  }

  private static List<String> payloads(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }
}
