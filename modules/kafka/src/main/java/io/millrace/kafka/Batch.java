package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A batch and what has become of its messages so far. Lives on the context. */
final class Batch {
  private final KafkaPublishStream stream;
  private final Context context;
  private final List<OutboxMessage> messages;
  private final @Nullable Refusal[] refusals;
  private final Promise<PublishOutcome> outcome = Promise.promise();
  private int unsettled;

  Batch(KafkaPublishStream stream, Context context, List<OutboxMessage> messages) {
    this.stream = stream;
    this.context = context;
    this.messages = List.copyOf(messages);
    this.refusals = new Refusal[messages.size()];
    this.unsettled = messages.size();
    if (messages.isEmpty()) {
      complete();
    }
  }

  KafkaPublishStream stream() {
    return stream;
  }

  List<OutboxMessage> messages() {
    return messages;
  }

  OutboxMessage message(int index) {
    return messages.get(index);
  }

  Future<PublishOutcome> outcome() {
    return outcome.future();
  }

  void acknowledge() {
    settleOne();
  }

  void refuse(int index, Failure why, boolean wasHandedOver) {
    refusals[index] = new Refusal(message(index), why.kind(), why, wasHandedOver);
    settleOne();
  }

  void refuseAll(Failure why) {
    for (int i = 0; i < messages.size(); i++) {
      refuse(i, why, false);
    }
  }

  private void settleOne() {
    unsettled--;
    if (unsettled == 0) {
      complete();
    }
  }

  /** As a task of its own: whoever waits for the outcome may publish again at once. */
  private void complete() {
    List<Refusal> refused = Arrays.stream(refusals).filter(Objects::nonNull).toList();
    PublishOutcome found =
        refused.isEmpty() ? PublishOutcome.ACKNOWLEDGED : new PublishOutcome(refused);
    context.runOnContext(settled -> outcome.complete(found));
  }
}
