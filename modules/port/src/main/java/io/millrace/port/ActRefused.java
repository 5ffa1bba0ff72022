package io.millrace.port;

/** An operator's act that the database has refused, and not for want of a connection. */
public final class ActRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Why why;

  /** What has to be another way. */
  public enum Why {
    /** What was asked for makes no sense, or concerns nothing that there is. */
    INVALID,
    /** As many as may be are under way already. */
    TOO_MANY,
    /** The role that the node logs in with may not. */
    NOT_GRANTED
  }

  public ActRefused(Why why, String message, Throwable cause) {
    super(message, cause);
    this.why = why;
  }

  public Why why() {
    return why;
  }
}
