package io.millrace.client;

/**
 * Says that a message cannot be applied now, through no fault of its own: what it needs is away. It
 * is tried again for as long as it takes, and so are the messages behind it.
 */
public final class RetryLater extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason what is away; readiness shows it
   */
  public RetryLater(String reason) {
    super(reason);
  }

  /**
   * @param reason what is away; readiness shows it
   */
  public RetryLater(String reason, Throwable cause) {
    super(reason, cause);
  }
}
