package io.millrace.jdbc;

import io.millrace.core.inbox.Identity;
import java.time.Instant;

/**
 * Says that a message cannot be told from a repeat, because its id is not kept any more, or cannot
 * be kept yet. Nothing was claimed and the transaction stays usable. Put the message aside: applied
 * on a guess its effect might happen twice.
 */
public final class OutsideDedupWindowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ClaimStatus status;

  OutsideDedupWindowException(String consumer, Identity identity, ClaimStatus status) {
    super(
        "message %s of %s is outside of what consumer %s keeps ids of: %s"
            .formatted(
                identity.messageId(), Instant.ofEpochMilli(identity.timeMs()), consumer, status));
    this.status = status;
  }

  /** {@link ClaimStatus#BEYOND_DEDUP_WINDOW} or {@link ClaimStatus#AHEAD_OF_BUCKETS}. */
  public ClaimStatus status() {
    return status;
  }
}
