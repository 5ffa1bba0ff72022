package io.millrace.core.inbox;

import java.util.Locale;

/** Why a received message was parked instead of applied. */
public enum ParkReason {
  /** Its bucket is gone: whether it was applied before cannot be known any more. */
  BEYOND_DEDUP_WINDOW,
  /** Its time is further in the future than buckets are made. */
  AHEAD_OF_BUCKETS,
  /** It carries nothing that tells it from another message. */
  NO_IDENTITY,
  /** The handler refused it. */
  REFUSED,
  /** The handler failed as often as attempts are made. */
  FAILED,
  /** The handler did not complete in time, as often as attempts are made. */
  OVERDUE,
  /** An earlier message of its key is parked, and the consumer asked for order. */
  BEHIND_PARKED;

  /** As in the database, in status pages and in metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether later messages of the key wait behind it. Not behind a message beyond the window: most
   * of these are repeats of what was applied long ago.
   */
  public boolean blocksKey() {
    return this != BEYOND_DEDUP_WINDOW;
  }
}
