package io.millrace.core.config;

/**
 * A text that must not be seen. It prints as a mask of fixed length, so that logs, exceptions and
 * the records that hold it can be printed without a thought.
 */
public final class Secret {

  /** What is shown in place of a secret, whatever its length. */
  public static final String MASK = "******";

  /** No secret at all; the only one that prints as an empty text. */
  public static final Secret NONE = new Secret("");

  private final String text;

  private Secret(String text) {
    this.text = text;
  }

  /** Wraps a text; an empty one is {@link #NONE}. */
  public static Secret of(String text) {
    return text.isEmpty() ? NONE : new Secret(text);
  }

  /** The text itself: for the call that needs it, never for a message. */
  public String reveal() {
    return text;
  }

  /** Whether there is nothing to hide. */
  public boolean isEmpty() {
    return text.isEmpty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && secret.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text.isEmpty() ? "" : MASK;
  }
}
