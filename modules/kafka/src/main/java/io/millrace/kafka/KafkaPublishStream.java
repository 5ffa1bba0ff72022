package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishStream;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one shard. It is whole until the first failure of a record, of a topic, of the
 * lease, or until it is settled; then it is broken for good and only waits for answers.
 *
 * <p>Lives on the context, but for the brake, which Kafka's threads pull.
 */
final class KafkaPublishStream implements PublishStream {
  private final Context context;
  private final ProducerSession session;
  private final SizeCheck check;
  private final BooleanSupplier mayHandOver;

  private volatile boolean isBraked;
  private @Nullable Failure broken;
  private int inFlight;
  private @Nullable Promise<Void> settled;

  /** The topics of all batches so far are known; never fails. */
  private Future<Void> topicsKnown = Future.succeededFuture();

  KafkaPublishStream(
      Context context, ProducerSession session, SizeCheck check, BooleanSupplier mayHandOver) {
    this.context = context;
    this.session = session;
    this.check = check;
    this.mayHandOver = mayHandOver;
  }

  @Override
  public Future<PublishOutcome> publish(List<OutboxMessage> messages) {
    Batch batch = new Batch(this, context, messages);
    topicsKnown =
        topicsKnown
            .compose(earlier -> check.facts(messages))
            .map(facts -> admit(batch, facts))
            .mapEmpty();
    return batch.outcome();
  }

  private Batch admit(Batch batch, Map<String, Future<TopicFacts>> facts) {
    List<@Nullable Failure> failures = new ArrayList<>();
    for (OutboxMessage message : batch.messages()) {
      failures.add(check.failure(message, facts.get(message.topic())));
    }
    if (isBroken()) {
      batch.refuseAll(whyNot());
    } else if (failures.stream().anyMatch(Objects::nonNull)) {
      refuse(batch, failures);
    } else {
      Map<String, Integer> partitions = new HashMap<>();
      facts.forEach((topic, known) -> partitions.put(topic, known.result().partitions()));
      session.enqueue(batch, partitions);
    }
    return batch;
  }

  /** Nothing of the batch goes: what was read behind a refused message is read again. */
  private void refuse(Batch batch, List<@Nullable Failure> failures) {
    List<OutboxMessage> messages = batch.messages();
    failures.stream().filter(Objects::nonNull).findFirst().ifPresent(this::breakWith);
    for (int i = 0; i < messages.size(); i++) {
      Failure own = failures.get(i);
      batch.refuse(i, own == null ? whyNot() : own, false);
    }
  }

  @Override
  public Future<Void> settle() {
    breakWith(new Failure(FailureKind.TRANSIENT, "the stream has been settled", null));
    Promise<Void> promise = settled == null ? Promise.promise() : settled;
    settled = promise;
    completeIfSettled();
    return promise.future();
  }

  /** Asks the owner, right before a record is handed over. */
  boolean mayHandOver() {
    if (!isBroken() && !mayHandOver.getAsBoolean()) {
      breakWith(new Failure(FailureKind.TRANSIENT, "the lease of the shard is over", null));
    }
    return !isBroken();
  }

  /** From any thread: nothing more of this stream may be handed over. */
  void brake() {
    isBraked = true;
  }

  boolean isBroken() {
    return isBraked || session.isEnded();
  }

  /**
   * The first reason counts.
   *
   * @return why records that have not failed themselves are refused
   */
  Failure breakWith(Failure why) {
    brake();
    Failure known = broken;
    if (known == null) {
      known =
          new Failure(
              FailureKind.TRANSIENT,
              "not handed over, because its stream is broken: " + why.getMessage(),
              why);
      broken = known;
      session.withdraw(this);
    }
    return known;
  }

  /** Why a record that has not failed itself is refused. */
  Failure whyNot() {
    Failure known = broken;
    if (known != null) {
      return known;
    }
    Failure end = session.end();
    return breakWith(
        end != null
            ? end
            : new Failure(FailureKind.TRANSIENT, "an earlier record was not published", null));
  }

  void boarded() {
    inFlight++;
  }

  /** Completes nothing in this task, in which what came back may still be refused. */
  void unboarded() {
    inFlight--;
    context.runOnContext(refused -> completeIfSettled());
  }

  void answered() {
    inFlight--;
    completeIfSettled();
  }

  /** As a task of its own, behind those that report the outcomes. */
  private void completeIfSettled() {
    Promise<Void> promise = settled;
    if (promise != null && inFlight == 0) {
      context.runOnContext(answered -> promise.tryComplete());
    }
  }
}
