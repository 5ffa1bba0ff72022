package io.millrace.client;

/**
 * It was not seen to happen in time. It may have happened unseen just now, and may still happen.
 */
public final class NotConfirmed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotConfirmed(String message) {
    super(message);
  }
}
