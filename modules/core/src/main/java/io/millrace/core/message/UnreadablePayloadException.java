package io.millrace.core.message;

/**
 * A payload whose bytes are not what its reader expects. The text says what was expected and found;
 * of the payload it quotes at most the one value that is wrong.
 */
public final class UnreadablePayloadException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public UnreadablePayloadException(String message) {
    super(message);
  }

  /**
   * @param cause what the parser said
   */
  public UnreadablePayloadException(String message, Throwable cause) {
    super(message, cause);
  }
}
