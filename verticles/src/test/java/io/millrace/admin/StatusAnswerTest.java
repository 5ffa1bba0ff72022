package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.admin.StatusAnswer.ShardWork;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatusAnswerTest {
  @Test
  void a_ready_source_has_no_reasons() {
    StatusAnswer answer = parse("{'ready': true, 'reasons': ['slow, but it works']}");
    assertThat(answer.reasons()).isEmpty();
  }

  @Test
  void a_reason_begins_with_the_name_of_its_source() {
    StatusAnswer answer = parse("{'ready': false, 'reasons': ['the broker is away', 'two']}");
    assertThat(answer.reasons()).containsExactly("relay: the broker is away", "relay: two");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{'ready': false}", "{'ready': false, 'reasons': []}"})
  void a_source_that_gives_no_reason_is_a_reason_itself(String reply) {
    assertThat(parse(reply).reasons()).containsExactly("relay is not ready");
  }

  @Test
  void very_many_reasons_are_cut_and_counted() {
    JsonArray reasons = new JsonArray(Collections.nCopies(1_024, "stands still"));
    JsonObject reply = new JsonObject().put("ready", false).put("reasons", reasons);
    assertThat(StatusAnswer.parse("relay", reply).reasons())
        .hasSize(StatusAnswer.REASONS_MAX + 1)
        .last()
        .isEqualTo("relay: 1004 more reasons");
  }

  @Test
  void the_work_on_shards_is_read_by_number() {
    StatusAnswer answer =
        parse(
            "{'ready': true, 'shards': [{'shard': 3, 'state': 'reading', 'reason': null},"
                + "{'shard': 5, 'state': 'waiting', 'reason': 'the broker is away'}]}");
    assertThat(answer.shards())
        .isEqualTo(
            Map.of(
                3, new ShardWork("reading", null),
                5, new ShardWork("waiting", "the broker is away")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'ready': 'yes'}", "{'ready': true, 'shards': 7}"})
  void a_reply_of_another_shape_is_refused(String reply) {
    assertThatThrownBy(() -> parse(reply)).isInstanceOf(RuntimeException.class);
  }

  private static StatusAnswer parse(String reply) {
    return StatusAnswer.parse("relay", new JsonObject(reply.replace('\'', '"')));
  }
}
