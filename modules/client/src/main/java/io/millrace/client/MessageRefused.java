package io.millrace.client;

/**
 * Says that a message can never be applied: it cannot be parsed, or contradicts what is known. It
 * is parked at once, with this reason.
 */
public final class MessageRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason for the people who will look at the parked message
   */
  public MessageRefused(String reason) {
    super(reason);
  }

  /**
   * @param reason for the people who will look at the parked message
   * @param cause what the parser said, for example
   */
  public MessageRefused(String reason, Throwable cause) {
    super(reason, cause);
  }
}
