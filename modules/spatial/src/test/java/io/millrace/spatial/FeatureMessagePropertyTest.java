package io.millrace.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.spatial.FeatureMessage.Verdict;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class FeatureMessagePropertyTest {

  /**
   * A life of a feature, each of its changes read at a random later moment and delivered once or
   * twice, all of it shuffled: the consumer ends with the state that the feature has.
   */
  @Property
  void in_whatever_order_messages_come_the_consumer_ends_with_the_state_of_the_feature(
      @ForAll @IntRange(min = 1, max = 12) int changes, @ForAll long seed) {
    Random random = new Random(seed);
    List<Boolean> isThere = new ArrayList<>(List.of(false));
    for (int version = 1; version <= changes; version++) {
      isThere.add(!isThere.get(version - 1) || random.nextInt(3) > 0);
    }
    List<FeatureMessage> messages = new ArrayList<>();
    for (int version = 1; version <= changes; version++) {
      for (int delivery = 0; delivery <= random.nextInt(2); delivery++) {
        int readAt = version + random.nextInt(changes - version + 1);
        FeatureAction action =
            !isThere.get(version)
                ? FeatureAction.RETIRE
                : isThere.get(version - 1) ? FeatureAction.EDIT : FeatureAction.CREATE;
        messages.add(message(action, version, isThere.get(readAt) ? (long) readAt : null));
      }
    }
    Collections.shuffle(messages, random);

    FeatureVersion applied = FeatureVersion.NONE;
    for (FeatureMessage message : messages) {
      Verdict verdict = message.judge(applied);
      FeatureVersion before = applied;
      applied = verdict.applies() ? message.version() : applied;
      assertThat(applied).isGreaterThanOrEqualTo(before);
      assertThat(message.judge(applied).applies()).as("a repeat of it").isFalse();
    }

    assertThat(applied.isGone()).isEqualTo(!isThere.get(changes));
    assertThat(applied.version()).isEqualTo(changes);
    assertThat(FeatureVersion.ofRank(applied.rank())).isEqualTo(applied);
  }

  @Example
  void newer_than_the_event_said_is_not_stale() {
    FeatureVersion three = new FeatureVersion(3, false);
    assertThat(message(FeatureAction.EDIT, 4, 4L).judge(three))
        .isEqualTo(Verdict.AS_THE_EVENT_SAID);
    assertThat(message(FeatureAction.EDIT, 2, 4L).judge(three))
        .isEqualTo(Verdict.NEWER_THAN_THE_EVENT);
    assertThat(message(FeatureAction.EDIT, 4, null).judge(three))
        .isEqualTo(Verdict.NEWER_THAN_THE_EVENT);
    assertThat(message(FeatureAction.RETIRE, 4, null).judge(three))
        .isEqualTo(Verdict.AS_THE_EVENT_SAID);
    assertThat(message(FeatureAction.EDIT, 3, null).judge(three))
        .as("gone since")
        .isEqualTo(Verdict.NEWER_THAN_THE_EVENT);
    assertThat(message(FeatureAction.EDIT, 1, 3L).judge(three)).isEqualTo(Verdict.KNOWN);
    assertThat(message(FeatureAction.EDIT, 2, 2L).judge(three)).isEqualTo(Verdict.STALE);
    assertThat(message(FeatureAction.EDIT, 3, 3L).judge(new FeatureVersion(3, true)))
        .isEqualTo(Verdict.STALE);
  }

  @Example
  void what_is_no_feature_is_refused() {
    for (String text : List.of("", "[]", "{}", "{\"feature_id\":\"1\",\"action\":\"fly\"}")) {
      assertThatThrownBy(() -> FeatureMessage.parse(text.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(DecodeException.class);
    }
  }

  private static FeatureMessage message(FeatureAction action, long event, Long state) {
    JsonObject feature =
        new JsonObject()
            .put("feature_id", "1")
            .put("action", action.text())
            .put("event_version", event)
            .put("geometry_version", state);
    return FeatureMessage.parse(feature.encode().getBytes(StandardCharsets.UTF_8));
  }
}
