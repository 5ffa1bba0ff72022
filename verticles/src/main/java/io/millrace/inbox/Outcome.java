package io.millrace.inbox;

import io.millrace.core.inbox.ParkReason;

/** How a transaction of a consumer ended. */
sealed interface Outcome {

  /** It is committed. */
  record Applied(int applied, int duplicates, int parked) implements Outcome {}

  /**
   * The stored position is another one, or may be: whether it was committed is not known. What is
   * in memory does not count any more.
   */
  record Moved(String reason) implements Outcome {}

  /**
   * Nothing was changed, through no fault of the messages.
   *
   * @param isCollision because of a lock that others hold
   */
  record Retry(Throwable cause, boolean isCollision) implements Outcome {}

  /** Nothing was changed, through the fault of one of the messages, or of what handles it. */
  record Blamed(Throwable cause, ParkReason reason) implements Outcome {}
}
