package io.millrace.relay;

import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of a replay on its way to the broker: passed from its front, as far as everything is
 * acknowledged or hopeless.
 *
 * <p>A broker may refuse a message for its neighbours' sake: one that is refused among others is
 * tried again alone, what stands before it first. Only what is refused alone, or before it was
 * handed over, is hopeless.
 */
final class ReplayBatch {
  private final List<OutboxMessage> messages;
  private final Map<Long, String> hopeless;
  private final Function<List<OutboxMessage>, Future<PublishOutcome>> publisher;

  /** Messages in front that are done. */
  private int passed;

  private int sent;
  private int skipped;
  private @Nullable String skipReason;
  private @Nullable Refusal stopper;

  /** Refused among others, and to be tried alone; null: none is. */
  private @Nullable OutboxMessage suspect;

  /**
   * @param messages in id order
   * @param hopeless messages that are not to be published, by id, with the reason
   * @param publisher hands some of them over, in a stream of their own, and waits until all are
   *     answered; never fails
   */
  ReplayBatch(
      List<OutboxMessage> messages,
      Map<Long, String> hopeless,
      Function<List<OutboxMessage>, Future<PublishOutcome>> publisher) {
    this.messages = messages;
    this.hopeless = new HashMap<>(hopeless);
    this.publisher = publisher;
  }

  /** Completes, never fails, when all is passed or something stops it: {@link #stopper()}. */
  Future<Void> publish() {
    passHopeless();
    List<OutboxMessage> next = next();
    if (next.isEmpty()) {
      return Future.succeededFuture();
    }
    return publisher
        .apply(next)
        .compose(
            outcome -> {
              boolean goesOn = settle(next, outcome);
              return goesOn ? publish() : Future.succeededFuture();
            });
  }

  /** Up to a suspect, or the suspect alone. */
  private List<OutboxMessage> next() {
    OutboxMessage alone = suspect;
    List<OutboxMessage> next = new ArrayList<>();
    for (OutboxMessage message : messages.subList(passed, messages.size())) {
      if (alone != null && message.id() == alone.id()) {
        return next.isEmpty() ? List.of(message) : next;
      }
      if (!hopeless.containsKey(message.id())) {
        next.add(message);
      }
    }
    return next;
  }

  /** Whether there is more to try. */
  private boolean settle(List<OutboxMessage> tried, PublishOutcome outcome) {
    Map<Long, Refusal> refusals = new HashMap<>();
    outcome.refusals().forEach(refusal -> refusals.put(refusal.message().id(), refusal));
    OutboxMessage tooMuch = null;
    int hopelessBefore = hopeless.size();
    for (Refusal refusal : outcome.refusals()) {
      if (refusal.kind() == FailureKind.TOPIC) {
        stopper = refusal;
      } else if (refusal.kind() == FailureKind.MESSAGE) {
        if (tried.size() == 1 || !refusal.wasHandedOver()) {
          hopeless.put(refusal.message().id(), String.valueOf(refusal.cause().getMessage()));
        } else if (tooMuch == null) {
          tooMuch = refusal.message();
        }
      }
    }
    long lastTried = tried.get(tried.size() - 1).id();
    while (passed < messages.size()
        && messages.get(passed).id() <= lastTried
        && isDone(messages.get(passed), refusals)) {
      pass();
    }
    if (stopper != null || outcome.isAcknowledged()) {
      return stopper == null;
    }
    boolean isNarrower = tooMuch != null || hopeless.size() > hopelessBefore;
    suspect = tooMuch;
    if (!isNarrower) {
      stopper = outcome.refusals().get(0);
    }
    return isNarrower;
  }

  private boolean isDone(OutboxMessage message, Map<Long, Refusal> refusals) {
    return hopeless.containsKey(message.id()) || !refusals.containsKey(message.id());
  }

  private void passHopeless() {
    OutboxMessage alone = suspect;
    if (alone != null && passed > 0 && messages.get(passed - 1).id() >= alone.id()) {
      suspect = null;
    }
    while (passed < messages.size() && hopeless.containsKey(messages.get(passed).id())) {
      pass();
    }
  }

  private void pass() {
    OutboxMessage message = messages.get(passed);
    String reason = hopeless.get(message.id());
    if (reason == null) {
      sent++;
    } else {
      skipped++;
      skipReason = "message %s (id %d): %s".formatted(message.messageId(), message.id(), reason);
    }
    passed++;
  }

  /** What keeps the rest from going out now; null: nothing, all of it is done. */
  @Nullable Refusal stopper() {
    return stopper;
  }

  /** The last message that is done; before it everything is. 0: none is. */
  long doneUpTo() {
    return passed == 0 ? 0 : messages.get(passed - 1).id();
  }

  int sent() {
    return sent;
  }

  int skipped() {
    return skipped;
  }

  @Nullable String skipReason() {
    return skipReason;
  }
}
