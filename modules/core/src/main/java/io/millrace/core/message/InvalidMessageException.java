package io.millrace.core.message;

/** A message that may not be appended. The text names the field, the limit and what was found. */
public final class InvalidMessageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidMessageException(String message) {
    super(message);
  }
}
