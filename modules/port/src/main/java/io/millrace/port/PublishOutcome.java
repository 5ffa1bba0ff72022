package io.millrace.port;

import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import java.util.List;

/**
 * What became of a batch.
 *
 * @param refusals the messages that were not acknowledged, in the batch's order; empty: all of them
 *     were
 */
public record PublishOutcome(List<Refusal> refusals) {
  public static final PublishOutcome ACKNOWLEDGED = new PublishOutcome(List.of());

  public PublishOutcome {
    refusals = List.copyOf(refusals);
  }

  public boolean isAcknowledged() {
    return refusals.isEmpty();
  }

  /**
   * A message that was not acknowledged.
   *
   * @param wasHandedOver whether the producer had it: then it may have arrived all the same
   */
  public record Refusal(
      OutboxMessage message, FailureKind kind, Throwable cause, boolean wasHandedOver) {

    /** Whether repeating does not help by itself: something must change first. */
    public boolean isForGood() {
      return kind == FailureKind.MESSAGE || kind == FailureKind.TOPIC;
    }
  }
}
