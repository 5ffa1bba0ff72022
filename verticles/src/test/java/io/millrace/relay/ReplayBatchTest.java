package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReplayBatchTest {
  private final List<OutboxMessage> page =
      LongStream.rangeClosed(1, 6).mapToObj(id -> Messages.of(id, "1")).toList();

  /** The ids of each hand-over. */
  private final List<List<Long>> handedOver = new ArrayList<>();

  private ReplayBatch publish(
      Map<Long, String> hopeless, Function<List<OutboxMessage>, List<Refusal>> broker) {
    ReplayBatch batch =
        new ReplayBatch(
            page,
            hopeless,
            messages -> {
              handedOver.add(messages.stream().map(OutboxMessage::id).toList());
              return Future.succeededFuture(new PublishOutcome(broker.apply(messages)));
            });
    assertThat(batch.publish().succeeded()).isTrue();
    return batch;
  }

  private static Refusal refusal(OutboxMessage message, FailureKind kind, boolean wasHandedOver) {
    return new Refusal(message, kind, new Failure(kind, "told so", null), wasHandedOver);
  }

  private static boolean has(List<OutboxMessage> messages, long id) {
    return messages.stream().anyMatch(message -> message.id() == id);
  }

  @Test
  void what_is_acknowledged_is_passed_at_once() {
    ReplayBatch batch = publish(Map.of(), messages -> List.of());
    assertThat(handedOver).hasSize(1);
    assertThat(batch.sent()).isEqualTo(6);
    assertThat(batch.doneUpTo()).isEqualTo(6);
    assertThat(batch.stopper()).isNull();
  }

  @Test
  void what_is_hopeless_before_it_is_sent_is_skipped_at_the_front_in_the_middle_and_at_the_end() {
    ReplayBatch batch = publish(Map.of(1L, "a", 4L, "b", 6L, "c"), messages -> List.of());
    assertThat(handedOver).containsExactly(List.of(2L, 3L, 5L));
    assertThat(batch.sent()).isEqualTo(3);
    assertThat(batch.skipped()).isEqualTo(3);
    assertThat(batch.skipReason()).contains("(id 6): c");
    assertThat(batch.doneUpTo()).isEqualTo(6);
  }

  /** As a broker refuses a whole record batch: everything from the first one on is in doubt. */
  @Test
  void one_that_is_refused_among_others_is_tried_alone_behind_what_stands_before_it() {
    ReplayBatch batch =
        publish(
            Map.of(),
            messages ->
                has(messages, 3)
                    ? messages.stream()
                        .map(
                            m ->
                                refusal(
                                    m,
                                    m.id() == 3 ? FailureKind.MESSAGE : FailureKind.TRANSIENT,
                                    true))
                        .toList()
                    : List.of());
    assertThat(handedOver)
        .containsExactly(
            List.of(1L, 2L, 3L, 4L, 5L, 6L), List.of(1L, 2L), List.of(3L), List.of(4L, 5L, 6L));
    assertThat(batch.sent()).isEqualTo(5);
    assertThat(batch.skipped()).isEqualTo(1);
    assertThat(batch.skipReason()).contains("(id 3): told so");
    assertThat(batch.stopper()).isNull();
  }

  @Test
  void one_that_was_refused_for_its_neighbours_sake_goes_out_alone() {
    ReplayBatch batch =
        publish(
            Map.of(),
            messages ->
                messages.size() > 3 && has(messages, 3)
                    ? List.of(refusal(messages.get(2), FailureKind.MESSAGE, true))
                    : List.of());
    assertThat(batch.sent()).isEqualTo(6);
    assertThat(batch.skipped()).isZero();
    assertThat(handedOver.get(1)).containsExactly(3L);
  }

  @Test
  void those_refused_before_the_hand_over_are_skipped_and_the_others_go_without_them() {
    ReplayBatch batch =
        publish(
            Map.of(),
            messages ->
                has(messages, 2) || has(messages, 5)
                    ? messages.stream()
                        .map(
                            m ->
                                refusal(
                                    m,
                                    m.id() == 2 || m.id() == 5
                                        ? FailureKind.MESSAGE
                                        : FailureKind.TRANSIENT,
                                    false))
                        .toList()
                    : List.of());
    assertThat(handedOver).hasSize(2);
    assertThat(handedOver.get(1)).containsExactly(1L, 3L, 4L, 6L);
    assertThat(batch.sent()).isEqualTo(4);
    assertThat(batch.skipped()).isEqualTo(2);
    assertThat(batch.doneUpTo()).isEqualTo(6);
  }

  @Test
  void an_outage_stops_it_behind_what_was_acknowledged_without_a_gap() {
    ReplayBatch batch =
        publish(
            Map.of(),
            messages ->
                List.of(
                    refusal(messages.get(2), FailureKind.TRANSIENT, true),
                    refusal(messages.get(4), FailureKind.TRANSIENT, true)));
    assertThat(handedOver).hasSize(1);
    assertThat(batch.doneUpTo()).isEqualTo(2);
    assertThat(batch.sent()).isEqualTo(2);
    assertThat(batch.stopper().kind()).isEqualTo(FailureKind.TRANSIENT);
  }

  @Test
  void a_topic_that_is_gone_stops_it_whatever_else_was_refused() {
    ReplayBatch batch =
        publish(
            Map.of(),
            messages ->
                List.of(
                    refusal(messages.get(0), FailureKind.MESSAGE, true),
                    refusal(messages.get(1), FailureKind.TOPIC, true)));
    assertThat(handedOver).hasSize(1);
    assertThat(batch.stopper().kind()).isEqualTo(FailureKind.TOPIC);
    assertThat(batch.doneUpTo()).isZero();
  }
}
